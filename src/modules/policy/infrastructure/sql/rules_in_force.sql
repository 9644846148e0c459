-- The ids of the active policies of each app, and of its frozen users and wallets. The row of a grant names its policy itself.
create or replace view rules_in_force as
select app_id, id from policies where state = 'active' and scope_kind <> 'grant'
 union all
select app_id, id from freezes;

-- The ids of the active policies of each app, and of its frozen users and wallets.
create or replace view rules_in_force as
select app_id, id from policies where state = 'active'
 union all
select app_id, id from freezes;

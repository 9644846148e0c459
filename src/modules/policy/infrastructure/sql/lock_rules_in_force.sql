-- Locks the rows of `rules_in_force` of an app until the transaction ends, and returns their ids: nothing takes one out of force meanwhile.
create or replace function lock_rules_in_force(app text) returns text[] language plpgsql as $$
begin
  perform from policies where app_id = app and state = 'active' and scope_kind <> 'grant' order by id for update;
  perform from freezes where app_id = app order by id for update;
  return array(select id from rules_in_force where app_id = app order by id collate "C");
end $$;

-- Locks the rows of `rules_in_force` of an app until the transaction ends, and returns their ids: nothing takes one out of force meanwhile. Only
-- rows that were locked count: one that replaces a row which was deleted meanwhile is not locked.
create or replace function lock_rules_in_force(app text) returns text[] language plpgsql as $$
declare
  ids text[] := '{}';
  locked text;
begin
  for locked in select id from policies where app_id = app and state = 'active' and scope_kind <> 'grant' order by id for update loop
    ids := ids || locked;
  end loop;
  for locked in select id from freezes where app_id = app order by id for update loop
    ids := ids || locked;
  end loop;
  return array(select id from unnest(ids) as id order by id collate "C");
end $$;

-- The next apps after `after` that have such rows: `rows` is a table with WHERE. Steps from app to app in an index that begins with
-- app_id, so the rows of one app do not hide another. A function, because Citus takes no recursion over several apps. The statistics
-- of a table that is often empty mislead.
create or replace function apps_in(rows text, after text, most integer) returns setof text language plpgsql
  set enable_seqscan = off as $$
declare app text := after;
begin
  for n in 1 .. most loop
    execute 'select app_id from ' || rows || ' and app_id > $1 order by app_id limit 1' into app using app;
    exit when app is null;
    return next app;
  end loop;
end $$;

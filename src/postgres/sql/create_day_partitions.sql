-- The partitions of a table for today and the next days, by UTC.
create or replace function create_day_partitions(parent text, days_ahead integer) returns void language plpgsql
  security definer as $$
declare
  today date := (now() at time zone 'UTC')::date;
  day   date;
  name  text;
begin
  for day in select today + n from generate_series(0, days_ahead) as n loop
    name := parent || '_' || to_char(day, 'YYYYMMDD');
    continue when to_regclass(name) is not null;
    -- The lock that ATTACH takes: readers and writers go on, and of two callers one waits and then finds the partition.
    execute format('lock table %I in share update exclusive mode', parent);
    continue when to_regclass(name) is not null;
    execute format('create table %I (like %I including defaults)', name, parent);
    execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent,
                   name, day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
  end loop;
end $$;
-- A temporary table of the caller must not stand before one of the owner.
do $$ begin
  execute format('alter function create_day_partitions(text, integer) set search_path to %I, pg_temp', current_schema());
end $$;
-- The service may run under a role that owns no table.
revoke all on function create_day_partitions(text, integer) from public;

create or replace function create_event_partitions(days_ahead integer) returns void language plpgsql as $$
declare
  today date := (now() at time zone 'UTC')::date;
  day   date;
  name  text;
begin
  for day in select today + n from generate_series(0, days_ahead) as n loop
    name := 'event_log_' || to_char(day, 'YYYYMMDD');
    continue when to_regclass(name) is not null;
    -- The lock that ATTACH takes: readers and writers go on, and of two callers one waits and then finds the partition.
    lock table event_log in share update exclusive mode;
    continue when to_regclass(name) is not null;
    execute format('create table %I (like event_log including defaults)', name);
    execute format('alter table event_log attach partition %I for values from (%L) to (%L)',
                   name, day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
  end loop;
end $$;

-- A new database has no partition for its first event.
select create_event_partitions(7);

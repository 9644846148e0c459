-- The day of the oldest partition. A function, because Citus reads a system catalog beside tables of apps on the coordinator, and then
-- computes feed_history() there too.
create or replace function event_log_begin() returns timestamptz language sql stable as $$
  select to_date(right(min(c.relname)::text, 8), 'YYYYMMDD')::timestamp at time zone 'UTC'
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
   where i.inhparent = 'event_log'::regclass
$$;

create or replace function drop_event_partition(before timestamptz) returns text language plpgsql
  security definer as $$
declare
  oldest text;
begin
  select min(c.relname) into oldest
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
   where i.inhparent = 'event_log'::regclass
     and c.relname < 'event_log_' || to_char(before at time zone 'UTC', 'YYYYMMDD');
  if oldest is null then return null; end if;
  -- A drop waits for open readers, and later readers wait behind it: give up soon and let the next run try again.
  perform set_config('lock_timeout', '500ms', true);
  execute format('lock table event_log, %I in access exclusive mode', oldest);
  execute format('update event_positions p set dropped_position = d.last
                    from (select app_id, (select max(position) from %I l where l.app_id = a.app_id) as last
                            from event_positions a) d
                   where p.app_id = d.app_id and d.last > p.dropped_position', oldest);
  execute format('drop table %I', oldest);
  return oldest;
end $$;
-- A temporary table of the caller must not stand before one of the owner.
do $$ begin
  execute format('alter function drop_event_partition(timestamptz) set search_path to %I, pg_temp', current_schema());
end $$;
-- The service may run under a role that owns no table. Others must not drop a table by it.
revoke all on function drop_event_partition(timestamptz) from public;

-- A new database has no partition for its first event.
select create_day_partitions('event_log', 7);

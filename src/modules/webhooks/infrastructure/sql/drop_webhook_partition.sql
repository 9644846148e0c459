create or replace function drop_webhook_partition(before timestamptz) returns text language plpgsql
  security definer as $$
declare
  oldest text;
begin
  select min(c.relname) into oldest
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
   where i.inhparent = 'webhook_deliveries'::regclass
     and c.relname < 'webhook_deliveries_' || to_char(before at time zone 'UTC', 'YYYYMMDD');
  if oldest is null then return null; end if;
  -- A drop waits for open readers, and later readers wait behind it: give up soon and let the next run try again.
  perform set_config('lock_timeout', '500ms', true);
  execute format('drop table %I', oldest);
  return oldest;
end $$;
-- A temporary table of the caller must not stand before one of the owner.
do $$ begin
  execute format('alter function drop_webhook_partition(timestamptz) set search_path to %I, pg_temp', current_schema());
end $$;
-- The service may run under a role that owns no table. Others must not drop a table by it.
revoke all on function drop_webhook_partition(timestamptz) from public;

-- A new database has no partition for its first delivery.
select create_day_partitions('webhook_deliveries', 7);

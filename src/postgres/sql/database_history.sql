-- Names the history that the database is on: system identifier and timeline. Another server, a restored backup and a promoted standby
-- have another one. A dump that is restored into the same server keeps both, but its tables are other ones, so the history names the
-- table of the transfers too.
create or replace function database_history() returns text language plpgsql stable as $$
declare
  books text := 'transfers'::regclass::oid;
  system text := nullif(current_setting('service.system_identifier', true), '');
begin
  -- A connection stays with its server, so only its first call reads the control file, in a subtransaction. Where a role may not read it,
  -- every start of the server counts as another history: the books are compared more often.
  if system is null then
    begin
      system := (select system_identifier::text from pg_control_system());
      perform pg_walfile_name(pg_current_wal_lsn());
    exception when insufficient_privilege or undefined_function or feature_not_supported
        or object_not_in_prerequisite_state then
      return 'started ' || extract(epoch from pg_postmaster_start_time()) || '/' || books;
    end;
    perform set_config('service.system_identifier', system, false);
  end if;
  -- The name of the log file is right at once after a promotion; the control file has the timeline of the last checkpoint.
  return system || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8) || '/' || books;
end $$;

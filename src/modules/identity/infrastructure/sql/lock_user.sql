-- Locks a live user until the transaction ends and returns its state, or `unknown`. It excludes `hold_user`, `hold_user_for_login`
-- and itself.
create or replace function lock_user(app text, owner text) returns text language plpgsql as $$
declare state text;
begin
  select case when deactivated_at is null then 'active' else 'inactive' end into state
    from users where app_id = app and id = owner and deleted_at is null for update;
  return coalesce(state, 'unknown');
end $$;

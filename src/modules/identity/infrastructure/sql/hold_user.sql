-- Keeps a live user from being deleted until the transaction ends and returns its state, or `unknown`. Any number of transactions
-- hold a user; it waits only for `lock_user`.
create or replace function hold_user(app text, owner text) returns text language plpgsql as $$
declare state text;
begin
  select case when deactivated_at is null then 'active' else 'inactive' end into state
    from users where app_id = app and id = owner and deleted_at is null for key share;
  return coalesce(state, 'unknown');
end $$;

-- Holds a live user for one login at a time until the transaction ends and returns its state, or `unknown`. A session closes the account
-- of its user in the statement that starts it, so that the account does not pass to the person who proves its address.
create or replace function hold_user_for_login(app text, owner text) returns text language plpgsql as $$
declare state text;
begin
  select case when deactivated_at is null then 'active' else 'inactive' end into state
    from users where app_id = app and id = owner and deleted_at is null for no key update;
  update users set claim = 'closed', claim_mac = null where app_id = app and id = owner and claim in ('open', 'reopening');
  return coalesce(state, 'unknown');
end $$;

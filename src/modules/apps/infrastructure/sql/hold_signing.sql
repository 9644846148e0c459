-- Keeps an app from being deleted, and its policies from being changed, until the transaction ends; false if it is unknown or deleted. It
-- fails as a serialization failure, after which the transaction runs again, unless this is the revision of its policies.
create or replace function hold_signing(app text, revision text) returns boolean language plpgsql as $$
declare
  current text;
begin
  select signing_revision || coalesce((select id from service_stops), '') into current from apps where id = app and deleted_at is null for key share;
  if not found then
    return false;
  end if;
  if current <> revision then
    raise exception 'the policies of the app were changed' using errcode = '40001';
  end if;
  return true;
end $$;

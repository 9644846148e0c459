-- Keeps an app from being deleted until the transaction ends; false if it is unknown or deleted. Any number of transactions hold it.
create or replace function hold_app(app text) returns boolean language plpgsql as $$
begin
  perform from apps where id = app and deleted_at is null for key share;
  return found;
end $$;

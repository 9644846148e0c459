-- Locks the user of a link that is not spent, as `lock_user` does. A function, because Citus runs `lock_user` only by itself, and the
-- caller does not know the user.
create or replace function lock_link_owner(app text, hash bytea) returns text language plpgsql as $$
declare owner text;
begin
  select user_id into owner from magic_links where app_id = app and token_hash = hash and consumed_at is null;
  return lock_user(app, owner);
end $$;

-- Holds a user for one login at a time, and then ends the sessions that exceed the newest `kept` ones, as `end_sessions_numbered` does.
create or replace function make_room_for_login(
  app text, owner text, kept integer, at_most integer, event_block text,
  out state text, out first_seq bigint, out last_seq bigint
) language plpgsql as $$
begin
  state := hold_user_for_login(app, owner);
  select ended.first_seq, ended.last_seq into first_seq, last_seq
    from end_sessions_numbered(app, owner, kept, at_most, event_block) ended;
end $$;

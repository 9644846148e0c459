-- Ends at most `at_most` live sessions of a user, the oldest first, except the newest `kept` ones, and stores their events. If none is kept,
-- those that only the bounds of the app keep from being live end too: without these bounds they would be live again. Returns how
-- many, and the range of the events' numbers: the caller renumbers them just before COMMIT, when all locks are granted. A function,
-- because its statement sees the rows that were committed while its caller waited for the user's lock. A caller that wants all sessions
-- ended repeats it: one statement might exceed the timeout. One index finds the rows; the plan of a join would depend on statistics that lag.
create or replace function end_sessions_numbered(
  app text, owner text, kept integer, at_most integer, event_block text,
  out ended integer, out first_seq bigint, out last_seq bigint
) language plpgsql as $$
declare
  last_ended text;
begin
  select max(id) into last_ended
    from (select id
            from (select id, row_number() over (order by id desc) as place
                    from sessions s
                   where app_id = app and user_id = owner and revoked_at is null and expires_at > now()
                     and (kept = 0 or not exists (
                       select from bounds_of_sessions b
                        where b.app_id = app and (now() - s.last_active_at > b.idle or now() - s.started_at > b.age)))) live
           where place > kept order by id limit at_most) surplus;
  if last_ended is null then
    ended := 0;
    return;
  end if;
  with revoked as (
    update sessions s set revoked_at = now(), updated_at = now(), mac = null
     where app_id = app and user_id = owner and revoked_at is null and expires_at > now() and id <= last_ended
       and (kept = 0 or not exists (
         select from bounds_of_sessions b
          where b.app_id = app and (now() - s.last_active_at > b.idle or now() - s.started_at > b.age)))
    returning id
  ), stored as (
    insert into unsequenced_events (app_id, id, type, data)
    select app, event_block || lpad(to_hex(row_number() over (order by id)), 6, '0'), 'session.revoked',
           json_build_object('session_id', id, 'user_id', owner)
      from revoked order by id
    returning seq
  )
  select count(*), min(seq), max(seq) into ended, first_seq, last_seq from stored;
end $$;

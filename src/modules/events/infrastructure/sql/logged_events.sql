create or replace view logged_events as
  select app_id, id, position, type, user_id, body, created_at, sequenced_at from event_log;

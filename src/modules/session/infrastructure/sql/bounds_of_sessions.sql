-- What an app allows of its sessions, if it bounds them: no use for `idle`, and `age`. The time of use is kept to the minute.
create or replace view bounds_of_sessions as
select app_id,
       make_interval(mins => (settings #>> '{session_idle_minutes,minutes}')::integer + 1) as idle,
       make_interval(mins => (settings #>> '{session_max_minutes,minutes}')::integer) as age
  from app_settings
 where settings ?| array['session_idle_minutes', 'session_max_minutes'];

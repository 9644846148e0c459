-- Includes deleted apps, whose pending payments are still observed.
create or replace view known_apps as
select id as app_id from apps;

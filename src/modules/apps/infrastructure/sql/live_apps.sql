create or replace view live_apps as
select id as app_id from apps where deleted_at is null;

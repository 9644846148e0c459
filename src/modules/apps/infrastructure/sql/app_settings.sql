-- The settings that modules have registered in ModuleSettings.
create or replace view app_settings as
select id as app_id, settings from apps where deleted_at is null;

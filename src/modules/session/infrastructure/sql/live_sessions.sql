create or replace view live_sessions as
select app_id, id from sessions where revoked_at is null and expires_at > now();

-- Keys of apps that are neither revoked nor expired.
create or replace view live_keys as
select app_id, id as key_id from api_keys where revoked_at is null and (expires_at is null or expires_at > now());

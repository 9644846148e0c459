create or replace view known_connections as
select app_id, id as connection_id from oauth_connections;

create or replace view linked_identities as
select app_id, user_id, connection_id from provider_identities;

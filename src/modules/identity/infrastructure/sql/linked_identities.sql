-- proved_at: the first proof of the address by which the user got the identity, else the time when it was linked.
create or replace view linked_identities as
select app_id, user_id, connection_id, id as identity_id, coalesce(proved_at, created_at) as proved_at from provider_identities;

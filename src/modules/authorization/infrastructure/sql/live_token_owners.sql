-- The OAuth clients and grants of apps that were not deleted. Calls with access tokens are named after them. A client has scopes of its own.
create or replace view live_token_owners as
select app_id, id, settings->'scopes' as scopes from authorization_clients
 union all
select app_id, id, null from authorization_grants;

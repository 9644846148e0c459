-- The OAuth clients and grants of apps that were not deleted. Calls with access tokens are named after them.
create or replace view live_token_owners as
select app_id, id from authorization_clients
 union all
select app_id, id from authorization_grants;

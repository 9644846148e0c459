-- The revision changes with everything that decides which uses of its wallets' keys are allowed, also with the stop of all keys.
create or replace view signing_states as
select id as app_id, signing_revision || coalesce((select id from service_stops), '') as revision,
       frozen_at is not null or exists (select from service_stops) as is_frozen
  from apps where deleted_at is null;

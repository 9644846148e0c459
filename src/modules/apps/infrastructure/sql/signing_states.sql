-- The revision changes with everything that decides which uses of its wallets' keys are allowed.
create or replace view signing_states as
select id as app_id, signing_revision as revision, frozen_at is not null as is_frozen from apps where deleted_at is null;

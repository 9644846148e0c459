-- What the MAC of an app's signing state covers, and the MAC. The revision lacks the stop of all keys that `signing_states` adds. A column more
-- in that view would stop replicas of the previous release from starting.
create or replace view signing_macs as
select id as app_id, signing_revision, frozen_at, signing_mac from apps where deleted_at is null;

-- What the MAC of a live session covers, and the MAC. A column more in `live_sessions` would stop replicas of the previous release from starting.
create or replace view live_session_macs as
select app_id, id,
       jsonb_build_object('id', id, 'userId', user_id, 'tokenHash', encode(token_hash, 'hex'), 'factors', factors,
         'expiresAt', (extract(epoch from expires_at) * 1000)::float8, 'mac', encode(mac, 'hex')) as sealed
  from sessions s
 where revoked_at is null and expires_at > now()
   and not exists (select from bounds_of_sessions b
                    where b.app_id = s.app_id and (now() - s.last_active_at > b.idle or now() - s.started_at > b.age));

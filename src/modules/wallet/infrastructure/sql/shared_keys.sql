-- The live wallets whose key wallets of other apps have too, from imports before imports refused it. Each app has a sender queue of its
-- own for the address, so the apps use the same nonces. Reading the view reads all wallets.
create or replace view shared_keys as
with signing as (
  select w.app_id, w.id as wallet_id, w.wallet_type, w.public_address
    from wallets w
   where not w.is_read_only and w.deleted_at is null
)
select s.* from signing s
  join (select public_address, wallet_type from signing group by public_address, wallet_type having count(*) > 1) several
 using (public_address, wallet_type);

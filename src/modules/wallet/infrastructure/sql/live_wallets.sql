create or replace view live_wallets as
select app_id, id as wallet_id, user_id from wallets where deleted_at is null;

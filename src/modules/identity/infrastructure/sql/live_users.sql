create or replace view live_users as
select app_id, id as user_id, case when deactivated_at is null then 'active' else 'inactive' end as state,
       claim in ('open', 'reopening') as is_open
  from users where deleted_at is null;

create or replace view verified_emails as
select app_id, id as email_id, user_id from emails where verified_at is not null;

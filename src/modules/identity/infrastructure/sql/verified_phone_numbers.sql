create or replace view verified_phone_numbers as
select app_id, id as phone_number_id, user_id from phone_numbers where verified_at is not null;

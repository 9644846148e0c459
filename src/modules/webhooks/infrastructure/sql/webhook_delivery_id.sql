create or replace function webhook_delivery_id(event_id text, endpoint_id text) returns text language sql immutable as $$
  -- The time of the event, then 64 bits of a hash: hexadecimal digits are digits of an id.
  select 'whd_' || substr(event_id, 5, 10)
                || substr(encode(sha256(convert_to(event_id || endpoint_id, 'UTF8')), 'hex'), 1, 16)
$$;

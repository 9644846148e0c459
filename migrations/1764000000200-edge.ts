import { FirstTables } from './first-tables.js';

export class Edge1764000000200 extends FirstTables {
  readonly tables = `
    create table idempotency_keys (
      app_id     text        not null,
      path       text        not null,
      key_hash   bytea       not null,
      body_hash  bytea       not null,
      answer     bytea,
      created_at timestamptz not null default now(),
      -- The version of the hash in the first byte. Earlier releases compare body_hash, in which the order of members counts.
      body_digest bytea,
      constraint idempotency_keys_pkey primary key (app_id, path, key_hash)
    );
    create index idempotency_keys_age on idempotency_keys (app_id, created_at);

    -- The bytes of stored responses, by app and hour: the bytes that an app stores in a day are bounded.
    create table idempotency_usage (
      app_id text        not null,
      hour   timestamptz not null,
      bytes  bigint      not null,
      -- Those of payments and imports, for which a part of the limit is reserved.
      reserved_bytes bigint not null default 0,
      constraint idempotency_usage_pkey primary key (app_id, hour)
    );
  `;
}

-- A database that revision b1c2b34 has made: its schema, and rows in each table.
-- secret key sk_test_O0JmHSXHLxIrdxehBfnnnv3fd5tfOL87UvZDpilLYhr3ZBX1, session token 2ziXBiPM99mhDhbm4C11XjDFqKFbp5I12cithSkNmIJAcI2c

create table migrations (id serial primary key, timestamp bigint not null, name varchar not null);
-- Used by the indexes of user searches.
create extension if not exists pg_trgm;
create extension if not exists btree_gin;

create table apps (
  id text not null, name text not null, mode text not null, default_wallet_type text not null, allowed_origins text[] not null, limits
  jsonb not null, created_at timestamptz not null, updated_at timestamptz not null, deleted_at timestamptz, messages jsonb default
  '{}'::jsonb not null, assets jsonb default '[]'::jsonb not null, transfer_policy jsonb default '{}'::jsonb not null, signing_policy
  jsonb default '{}'::jsonb not null, settings jsonb default '{}'::jsonb not null, constraint apps_pkey PRIMARY KEY (id), constraint
  apps_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text])))
);

create table management_keys (
  id text not null, name text not null, key_hash bytea not null, from_environment boolean default false not null, created_at timestamptz
  default now() not null, last_used_at timestamptz, revoked_at timestamptz, role text default 'owner'::text not null, expires_at
  timestamptz, constraint management_keys_pkey PRIMARY KEY (id), constraint management_keys_key_hash_key UNIQUE (key_hash), constraint
  management_keys_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'operator'::text, 'auditor'::text])))
);

create table users (
  app_id text not null, id text not null, first_name text not null, middle_name text not null, last_name text not null, status text not
  null, wallet_type text not null, deactivated_at timestamptz, deleted_at timestamptz, created_at timestamptz not null, updated_at
  timestamptz not null, constraint users_pkey PRIMARY KEY (app_id, id), constraint users_status CHECK ((status = ANY
  (ARRAY['pending'::text, 'active'::text]))), constraint users_wallet_type CHECK ((wallet_type = ANY (ARRAY['ethereum'::text,
  'solana'::text, 'none'::text])))
);
create index users_full_name_trgm ON users USING gin (app_id, ltrim(((first_name || COALESCE((' '::text || NULLIF(middle_name, ''::text)), ''::text)) || COALESCE((' '::text || NULLIF(last_name, ''::text)), ''::text))) gin_trgm_ops) WHERE (deleted_at IS NULL);
create index users_pending ON users (app_id, id) WHERE ((status = 'pending'::text) AND (deleted_at IS NULL));

create table transfers (
  app_id text not null, id text not null, user_id text not null, status text not null, stage text, source text not null, source_address
  text not null, dest text not null, chain text not null, network text not null, currency text not null, symbol text not null, decimals
  integer not null, token text, amount numeric(78,0) not null, fee_cap numeric(78,0) not null, fee numeric(78,0), custom_id text, notes
  text not null, hash text, failure_code text, retry_safe boolean, created_at timestamptz default now() not null, updated_at timestamptz
  default now() not null, expires_at timestamptz not null, confirmed_at timestamptz, completed_at timestamptz, cancelled_at timestamptz,
  stuck_since timestamptz, next_check_at timestamptz, mined_block bigint, stuck_reason text, proof_progress jsonb, nonce_used_by text,
  cancel_requested_at timestamptz, constraint transfers_pkey PRIMARY KEY (app_id, id), constraint transfers_amount_check CHECK ((amount >
  (0)::numeric)), constraint transfers_stage_check CHECK (((status = 'pending'::text) = (stage IS NOT NULL))), constraint
  transfers_status_check CHECK ((status = ANY (ARRAY['unconfirmed'::text, 'pending'::text, 'completed'::text, 'failed'::text,
  'expired'::text, 'cancelled'::text])))
);
create unique index transfers_custom_id ON transfers (app_id, custom_id) WHERE (custom_id IS NOT NULL);
create index transfers_due ON transfers (app_id, chain, next_check_at) WHERE ((status = 'pending'::text) AND (next_check_at IS NOT NULL));
create index transfers_mined ON transfers (app_id, network, source_address, mined_block) WHERE (mined_block IS NOT NULL);
create index transfers_of_status ON transfers (app_id, status, id);
create index transfers_of_user ON transfers (app_id, user_id, id);
create index transfers_of_wallet ON transfers (app_id, source, id);
create index transfers_open ON transfers (app_id, network, source_address) WHERE (status = 'pending'::text);
create index transfers_overdue ON transfers (app_id, expires_at) WHERE (status = 'unconfirmed'::text);
create index transfers_stuck ON transfers (app_id, id) WHERE (stuck_since IS NOT NULL);

create table api_keys (
  app_id text not null, id text not null, kind text not null, name text not null, key_hash bytea not null, created_at timestamptz not
  null, last_used_at timestamptz, expires_at timestamptz, revoked_at timestamptz, constraint api_keys_pkey PRIMARY KEY (app_id, id),
  constraint api_keys_app_fkey FOREIGN KEY (app_id) REFERENCES apps(id), constraint api_keys_kind_check CHECK ((kind = ANY
  (ARRAY['secret'::text, 'public'::text])))
);
create index api_keys_key_hash ON api_keys (key_hash);

create table audit_chains (
  app_id text not null, last_number bigint default 0 not null, last_hash bytea not null, last_checkpoint bigint default 0 not null,
  hour_number bigint default 0 not null, hour_at timestamptz default '-infinity'::timestamptz not null, day_number bigint default 0 not
  null, day_at timestamptz default '-infinity'::timestamptz not null, constraint audit_chains_pkey PRIMARY KEY (app_id)
) with (fillfactor=70);

create table audit_checkpoints (
  app_id text not null, seq bigint not null, kind text not null, number bigint not null, hash bytea not null, at timestamptz not null,
  key_id text not null, signature bytea not null, constraint audit_checkpoints_pkey PRIMARY KEY (app_id, seq)
);

create table audit_log (
  app_id text not null, id text not null, actor text not null, action text not null, target_id text not null, fields text[] not null,
  request_id text, created_at timestamptz not null, outcome text default 'ok'::text not null, error_type text, calls integer default 1 not
  null, ip_commitment bytea, number bigint, chained_at timestamptz, hash bytea, constraint audit_log_pkey PRIMARY KEY (app_id, id)
);
create unique index audit_log_chained ON audit_log (app_id, number);
create index audit_log_of_action ON audit_log (app_id, action, id);
create index audit_log_of_actor ON audit_log (app_id, actor, id);
create index audit_log_of_changes ON audit_log (app_id, id) WHERE (outcome = 'ok'::text);
create index audit_log_unchained ON audit_log (app_id, id) WHERE (number IS NULL);

create table audit_personal_data (
  app_id text not null, entry_id text not null, salt bytea not null, ip text not null, constraint audit_personal_data_pkey PRIMARY KEY
  (app_id, entry_id)
);

create table audit_refusals (
  app_id text not null, error_type text not null, actor text not null, network text not null, since timestamptz default now() not null,
  calls integer not null, written integer default 0 not null, constraint audit_refusals_pkey PRIMARY KEY (app_id, error_type, actor,
  network)
);

create table audit_signing_keys (
  id text not null, public_key text not null, sealed_private_key bytea not null, created_at timestamptz default now() not null, constraint
  audit_signing_keys_pkey PRIMARY KEY (id)
);

create table chain_lanes (
  app_id text not null, network text not null, address text not null, next_nonce bigint, constraint chain_lanes_pkey PRIMARY KEY (app_id,
  network, address)
);

create table counted_events (
  app_id text not null, position bigint default 0 not null, sequenced_at timestamptz default '-infinity'::timestamptz not null, constraint
  counted_events_pkey PRIMARY KEY (app_id)
);

create table emails (
  app_id text not null, id text not null, user_id text not null, text text not null, canonical text not null, verified_at timestamptz,
  created_at timestamptz not null, updated_at timestamptz not null, constraint emails_pkey PRIMARY KEY (app_id, id), constraint
  emails_canonical UNIQUE (app_id, canonical), constraint emails_user FOREIGN KEY (app_id, user_id) REFERENCES users(app_id, id)
);
create index emails_of_user ON emails (app_id, user_id);
create index emails_text_trgm ON emails USING gin (app_id, text gin_trgm_ops);

create table event_log (
  app_id text not null, id text not null, position bigint not null, type text not null, user_id text, body text not null, created_at
  timestamptz not null, sequenced_at timestamptz not null, constraint event_log_pkey PRIMARY KEY (app_id, id, sequenced_at)
) partition by RANGE (sequenced_at);
create index event_log_feed ON ONLY event_log (app_id, "position");
create index event_log_feed_of_type ON ONLY event_log (app_id, type, "position");
create index event_log_feed_of_user ON ONLY event_log (app_id, user_id, "position") WHERE (user_id IS NOT NULL);

create table event_positions (
  app_id text not null, last_position bigint default 0 not null, last_sequenced_at timestamptz default '-infinity'::timestamptz not null,
  dropped_position bigint default 0 not null, constraint event_positions_pkey PRIMARY KEY (app_id)
) with (fillfactor=70);

create table event_statistics (
  app_id text not null, hour timestamptz not null, metric text not null, label text not null, value bigint not null, constraint
  event_statistics_pkey PRIMARY KEY (app_id, hour, metric, label)
);

create table idempotency_keys (
  app_id text not null, path text not null, key_hash bytea not null, body_hash bytea not null, answer bytea, created_at timestamptz
  default now() not null, constraint idempotency_keys_pkey PRIMARY KEY (app_id, path, key_hash)
);
create index idempotency_keys_age ON idempotency_keys (app_id, created_at);

create table jobs (
  id text not null, kind text not null, payload bytea, unique_key text, attempt integer default 0 not null, due_at timestamptz default
  now() not null, lease text, died_at timestamptz, error text, created_at timestamptz default now() not null, rank_at timestamptz default
  now() not null, app_id text, constraint jobs_pkey PRIMARY KEY (id)
);
create index jobs_dead ON jobs (app_id, id) WHERE (died_at IS NOT NULL);
create index jobs_due ON jobs (due_at) WHERE (died_at IS NULL);
create index jobs_of_app ON jobs (app_id, id);
create index jobs_rank ON jobs (rank_at) WHERE (died_at IS NULL);
create unique index jobs_unique_key ON jobs (kind, unique_key) WHERE ((unique_key IS NOT NULL) AND (lease IS NULL) AND (died_at IS NULL));

create table login_tickets (
  app_id text not null, token_hash bytea not null, user_id text not null, connection_id text not null, provider text not null, subject
  text not null, provider_identity_id text not null, sealed_tokens bytea, code_challenge text, created_at timestamptz default now() not
  null, expires_at timestamptz not null, consumed_at timestamptz, constraint login_tickets_pkey PRIMARY KEY (app_id, token_hash)
);
create index login_tickets_end ON login_tickets (app_id, expires_at);
create index login_tickets_of_user ON login_tickets (app_id, user_id) WHERE (consumed_at IS NULL);

create table magic_links (
  app_id text not null, token_hash bytea not null, user_id text not null, email_id text, email text, ip text, user_agent text, mismatches
  integer default 0 not null, created_at timestamptz default now() not null, expires_at timestamptz not null, consumed_at timestamptz,
  constraint magic_links_pkey PRIMARY KEY (app_id, token_hash), constraint magic_links_one_per_email UNIQUE (app_id, email_id)
);
create index magic_links_end ON magic_links (app_id, expires_at);
create index magic_links_of_user ON magic_links (app_id, user_id) WHERE (consumed_at IS NULL);

create table management_sessions (
  token_hash bytea not null, key_id text not null, created_at timestamptz default now() not null, expires_at timestamptz not null,
  constraint management_sessions_pkey PRIMARY KEY (token_hash), constraint management_sessions_key_fkey FOREIGN KEY (key_id) REFERENCES
  management_keys(id)
);
create index management_sessions_end ON management_sessions (expires_at);
create index management_sessions_of_key ON management_sessions (key_id);

create table master_keys (
  key_id text not null, check_value bytea not null, created_at timestamptz default now() not null, retired_at timestamptz, constraint
  master_keys_pkey PRIMARY KEY (key_id)
);

create table message_statistics (
  app_id text not null, hour timestamptz not null, label text not null, value bigint not null, constraint message_statistics_pkey PRIMARY
  KEY (app_id, hour, label)
);

create table messages (
  app_id text not null, id text not null, channel text not null, kind text not null, recipient text not null, status text default
  'pending'::text not null, attempts integer default 0 not null, last_error text, created_at timestamptz default now() not null, sent_at
  timestamptz, constraint messages_pkey PRIMARY KEY (app_id, id), constraint messages_status_check CHECK ((status = ANY
  (ARRAY['pending'::text, 'sent'::text, 'failed'::text])))
);
create index messages_age ON messages (app_id, created_at);
create index messages_unsent ON messages (app_id, status, id) WHERE (status <> 'sent'::text);

create table oauth_connections (
  app_id text not null, id text not null, provider text not null, client_id text not null, client_secret bytea, issuer text, team_id text,
  key_id text, private_key bytea, trusts_email boolean not null, created_at timestamptz not null, updated_at timestamptz not null,
  constraint oauth_connections_pkey PRIMARY KEY (app_id, id), constraint oauth_connections_app_fkey FOREIGN KEY (app_id) REFERENCES
  apps(id), constraint oauth_connections_provider_key UNIQUE (app_id, provider)
);
create index oauth_connections_id ON oauth_connections (id);

create table oauth_states (
  app_id text not null, state_hash bytea not null, connection_id text not null, login_url text not null, registration_url text not null,
  sealed_verifier bytea not null, nonce text not null, browser_hash bytea, code_challenge text, created_at timestamptz default now() not
  null, expires_at timestamptz not null, consumed_at timestamptz, constraint oauth_states_pkey PRIMARY KEY (app_id, state_hash)
);
create index oauth_states_end ON oauth_states (app_id, expires_at);

create table otps (
  app_id text not null, method_id text not null, user_id text not null, address text not null, sealed_code bytea, generation integer
  default 1 not null, tries integer default 0 not null, created_at timestamptz default now() not null, expires_at timestamptz not null,
  constraint otps_pkey PRIMARY KEY (app_id, method_id)
);
create index otps_end ON otps (app_id, expires_at);
create index otps_of_user ON otps (app_id, user_id) WHERE (sealed_code IS NOT NULL);

create table phone_numbers (
  app_id text not null, id text not null, user_id text not null, text text not null, canonical text not null, verified_at timestamptz,
  created_at timestamptz not null, updated_at timestamptz not null, constraint phone_numbers_pkey PRIMARY KEY (app_id, id), constraint
  phone_numbers_canonical UNIQUE (app_id, canonical), constraint phone_numbers_user FOREIGN KEY (app_id, user_id) REFERENCES users(app_id,
  id)
);
create index phone_numbers_of_user ON phone_numbers (app_id, user_id);
create index phone_numbers_text_trgm ON phone_numbers USING gin (app_id, text gin_trgm_ops);

create table provider_identities (
  app_id text not null, id text not null, user_id text not null, connection_id text not null, provider text not null, subject text not
  null, created_at timestamptz not null, updated_at timestamptz not null, constraint provider_identities_pkey PRIMARY KEY (app_id, id),
  constraint provider_identities_subject UNIQUE (app_id, connection_id, subject), constraint provider_identities_user FOREIGN KEY (app_id,
  user_id) REFERENCES users(app_id, id)
);
create index provider_identities_of_provider ON provider_identities (app_id, provider, user_id);
create index provider_identities_of_user ON provider_identities (app_id, user_id);

create table redirect_urls (
  app_id text not null, id text not null, kind text not null, url text not null, is_default boolean not null, created_at timestamptz not
  null, constraint redirect_urls_pkey PRIMARY KEY (app_id, id), constraint redirect_urls_app_fkey FOREIGN KEY (app_id) REFERENCES
  apps(id), constraint redirect_urls_kind_check CHECK ((kind = ANY (ARRAY['login'::text, 'registration'::text, 'invite'::text]))),
  constraint redirect_urls_url_key UNIQUE (app_id, kind, url)
);
create unique index redirect_urls_one_default ON redirect_urls (app_id, kind) WHERE is_default;

create table reported_refusals (
  app_id text not null, key text not null, ends_at timestamptz not null, constraint reported_refusals_pkey PRIMARY KEY (app_id, key)
);
create index reported_refusals_end ON reported_refusals (app_id, ends_at);

create table send_counts (
  app_id text not null, key text not null, slot bigint not null, counts integer[] not null, expires_at timestamptz not null, constraint
  send_counts_pkey PRIMARY KEY (app_id, key)
);

create table sessions (
  app_id text not null, id text not null, user_id text not null, token_hash bytea not null, started_at timestamptz default now() not null,
  expires_at timestamptz not null, last_active_at timestamptz default now() not null, factors jsonb not null, user_agent text not null, ip
  text not null, revoked_at timestamptz, version integer default 1 not null, updated_at timestamptz default now() not null, created_at
  timestamptz default now() not null, constraint sessions_pkey PRIMARY KEY (app_id, id), constraint sessions_token_hash UNIQUE (app_id,
  token_hash)
) with (fillfactor=85);
create index sessions_end ON sessions (app_id, expires_at);
create index sessions_live_of_user ON sessions (app_id, user_id, expires_at) WHERE (revoked_at IS NULL);

create table signing_keys (
  app_id text not null, id text not null, state text not null, public_jwk jsonb not null, sealed_private_key bytea not null, activated_at
  timestamptz, retired_at timestamptz, created_at timestamptz default now() not null, constraint signing_keys_pkey PRIMARY KEY (app_id,
  id), constraint signing_keys_state CHECK ((state = ANY (ARRAY['next'::text, 'current'::text, 'previous'::text])))
);
create unique index signing_keys_one_current ON signing_keys (app_id) WHERE (state = 'current'::text);
create unique index signing_keys_one_next ON signing_keys (app_id) WHERE (state = 'next'::text);

create table totps (
  app_id text not null, id text not null, user_id text not null, sealed_secret bytea not null, sealed_recovery_codes bytea not null,
  used_recovery_codes smallint[] not null, verified_at timestamptz, expires_at timestamptz not null, last_used_step integer, tries integer
  not null, last_tried_at timestamptz, created_at timestamptz not null, updated_at timestamptz not null, constraint totps_pkey PRIMARY KEY
  (app_id, id), constraint totps_of_user UNIQUE (app_id, user_id)
) with (fillfactor=80);
create index totps_pending_end ON totps (app_id, expires_at) WHERE (verified_at IS NULL);

create table transfer_attempts (
  app_id text not null, network text not null, hash text not null, transfer_id text, kind text not null, ordinal integer not null, address
  text not null, raw bytea not null, nonce bigint, blockhash text, last_valid_block_height bigint, valid_from_slot bigint, max_fee
  numeric(78,0) not null, created_at timestamptz default now() not null, first_broadcast_started_at timestamptz, accepted_at timestamptz,
  valid_from_block bigint, constraint transfer_attempts_pkey PRIMARY KEY (app_id, network, hash), constraint transfer_attempts_kind_check
  CHECK ((kind = ANY (ARRAY['payment'::text, 'cancellation'::text]))), constraint transfer_attempts_transfer_fkey FOREIGN KEY (app_id,
  transfer_id) REFERENCES transfers(app_id, id)
);
create index transfer_attempts_nonce ON transfer_attempts (app_id, network, address, nonce) WHERE (nonce IS NOT NULL);
create unique index transfer_attempts_ordinal ON transfer_attempts (app_id, transfer_id, ordinal);

create table unsequenced_events (
  app_id text not null, seq bigint generated always as identity not null, id text not null, type text not null, data json not null,
  created_at timestamptz default now() not null, constraint unsequenced_events_pkey PRIMARY KEY (app_id, seq)
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000);

create table wallet_addresses (
  app_id text not null, public_address text not null, locked_at timestamptz not null, constraint wallet_addresses_pkey PRIMARY KEY
  (app_id, public_address)
);
create index wallet_addresses_end ON wallet_addresses (app_id, locked_at);

create table wallet_imports (
  app_id text not null, id text not null, user_id text not null, wallet_type text not null, sealed_private_key bytea not null, expires_at
  timestamptz not null, constraint wallet_imports_pkey PRIMARY KEY (app_id, id)
);
create index wallet_imports_end ON wallet_imports (app_id, expires_at);
create index wallet_imports_of_user ON wallet_imports (app_id, user_id);

create table wallet_registrations (
  app_id text not null, id text not null, form text not null, wallet_type text not null, public_address text not null, user_id text not
  null, attaches boolean not null, nonce text not null, challenge text not null, created_at timestamptz default now() not null, expires_at
  timestamptz not null, spent_at timestamptz, constraint wallet_registrations_pkey PRIMARY KEY (app_id, id)
);
create index wallet_registrations_end ON wallet_registrations (app_id, expires_at);
create index wallet_registrations_of_user ON wallet_registrations (app_id, user_id) WHERE (attaches AND (spent_at IS NULL));
create index wallet_registrations_open ON wallet_registrations (app_id, public_address, id) WHERE (spent_at IS NULL);

create table wallets (
  app_id text not null, id text not null, user_id text not null, wallet_type text not null, public_address text not null, verified boolean
  not null, is_default boolean not null, is_read_only boolean not null, is_imported boolean not null, sealed_key bytea, created_at
  timestamptz default now() not null, updated_at timestamptz default now() not null, deleted_at timestamptz, constraint wallets_pkey
  PRIMARY KEY (app_id, id), constraint wallets_key_unless_read_only CHECK ((is_read_only = (sealed_key IS NULL)))
);
create unique index wallets_address ON wallets (app_id, public_address, is_read_only) WHERE (deleted_at IS NULL);
create index wallets_of_user ON wallets (app_id, user_id, id);
create unique index wallets_one_default ON wallets (app_id, user_id, wallet_type) WHERE (is_default AND (deleted_at IS NULL));

create table webauthn_challenges (
  app_id text not null, challenge_hash bytea not null, purpose text not null, user_id text, expires_at timestamptz not null, constraint
  webauthn_challenges_pkey PRIMARY KEY (app_id, challenge_hash)
);
create index webauthn_challenges_end ON webauthn_challenges (app_id, expires_at);
create index webauthn_challenges_of_user ON webauthn_challenges (app_id, user_id) WHERE (user_id IS NOT NULL);

create table webauthn_credentials (
  app_id text not null, id text not null, user_id text not null, credential_id bytea not null, public_key bytea not null, rp_id text not
  null, name text not null, transports text[] not null, sign_count bigint not null, is_backup_eligible boolean not null, is_backed_up
  boolean not null, suspicious_at timestamptz, last_used_at timestamptz, created_at timestamptz not null, constraint
  webauthn_credentials_pkey PRIMARY KEY (app_id, id), constraint webauthn_credentials_of_app UNIQUE (app_id, credential_id)
) with (fillfactor=80);
create index webauthn_credentials_of_user ON webauthn_credentials (app_id, user_id);

create table webhook_deliveries (
  app_id text not null, endpoint_id text not null, id text not null, event_id text not null, event_type text not null, position bigint not
  null, sequenced_at timestamptz, body text, status text not null, attempts jsonb not null, created_at timestamptz not null, ended_at
  timestamptz not null, constraint webhook_deliveries_pkey PRIMARY KEY (app_id, endpoint_id, id, ended_at)
) partition by RANGE (ended_at);
create index webhook_deliveries_failed ON ONLY webhook_deliveries (app_id, endpoint_id, id) WHERE (status = 'failed'::text);

create table webhook_endpoints (
  app_id text not null, id text not null, url text not null, event_types text[] not null, description text not null, is_ordered boolean
  not null, sealed_secret bytea not null, sealed_previous_secret bytea, previous_secret_ends_at timestamptz, created_at timestamptz not
  null, updated_at timestamptz not null, disabled_at timestamptz, disabled_reason text, constraint webhook_endpoints_pkey PRIMARY KEY
  (app_id, id)
);

create table webhook_health (
  app_id text not null, endpoint_id text not null, failing_since timestamptz not null, failures integer not null, probe_at timestamptz,
  constraint webhook_health_pkey PRIMARY KEY (app_id, endpoint_id)
) with (fillfactor=50);

create table webhook_queue (
  app_id text not null, endpoint_id text not null, id text not null, event_id text not null, event_type text not null, position bigint not
  null, sequenced_at timestamptz, order_key text, body text, tries integer default 0 not null, claims integer default 0 not null, attempts
  jsonb default '[]'::jsonb not null, due_at timestamptz default now() not null, lease text, leased_until timestamptz, created_at
  timestamptz default now() not null, constraint webhook_queue_pkey PRIMARY KEY (app_id, endpoint_id, id)
) with (fillfactor=60, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000);
create index webhook_queue_due ON webhook_queue (app_id, endpoint_id, due_at, "position") WHERE (tries >= 0);
create index webhook_queue_order ON webhook_queue (app_id, endpoint_id, order_key, "position") WHERE (order_key IS NOT NULL);

create table wrong_tries (
  app_id text not null, user_id text not null, tries timestamptz[] not null, locked_until timestamptz, constraint wrong_tries_pkey PRIMARY
  KEY (app_id, user_id)
);

create view app_settings as
 SELECT id AS app_id,
    settings
   FROM apps
  WHERE deleted_at IS NULL;

create view events as
 SELECT event_log.app_id,
    event_log.id,
    event_log.type,
    event_log.body::jsonb -> 'data'::text AS data,
    event_log.created_at,
    event_log."position",
    NULL::bigint AS seq
   FROM event_log
UNION ALL
 SELECT unsequenced_events.app_id,
    unsequenced_events.id,
    unsequenced_events.type,
    unsequenced_events.data::jsonb AS data,
    unsequenced_events.created_at,
    NULL::bigint AS "position",
    unsequenced_events.seq
   FROM unsequenced_events;

create view known_apps as
 SELECT id AS app_id
   FROM apps;

create view known_connections as
 SELECT app_id,
    id AS connection_id
   FROM oauth_connections;

create view linked_identities as
 SELECT app_id,
    user_id,
    connection_id
   FROM provider_identities;

create view live_apps as
 SELECT id AS app_id
   FROM apps
  WHERE deleted_at IS NULL;

create view live_users as
 SELECT app_id,
    id AS user_id,
        CASE
            WHEN deactivated_at IS NULL THEN 'active'::text
            ELSE 'inactive'::text
        END AS state
   FROM users
  WHERE deleted_at IS NULL;

create view verified_emails as
 SELECT app_id,
    id AS email_id,
    user_id
   FROM emails
  WHERE verified_at IS NOT NULL;

CREATE OR REPLACE FUNCTION create_event_partitions(days_ahead integer)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
      declare
        today date := (now() at time zone 'UTC')::date;
        day   date;
        name  text;
      begin
        for day in select today + n from generate_series(0, days_ahead) as n loop
          name := 'event_log_' || to_char(day, 'YYYYMMDD');
          continue when to_regclass(name) is not null;
          -- The lock that ATTACH takes: readers and writers go on, and of two callers one waits and then finds the partition.
          lock table event_log in share update exclusive mode;
          continue when to_regclass(name) is not null;
          execute format('create table %I (like event_log including defaults)', name);
          execute format('alter table event_log attach partition %I for values from (%L) to (%L)',
                         name, day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
        end loop;
      end $function$
;

CREATE OR REPLACE FUNCTION create_webhook_partitions(days_ahead integer)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
      declare
        today date := (now() at time zone 'UTC')::date;
        day   date;
        name  text;
      begin
        for day in select today + n from generate_series(0, days_ahead) as n loop
          name := 'webhook_deliveries_' || to_char(day, 'YYYYMMDD');
          continue when to_regclass(name) is not null;
          -- The lock that ATTACH takes: readers and writers go on, and of two callers one waits and then finds the partition.
          lock table webhook_deliveries in share update exclusive mode;
          continue when to_regclass(name) is not null;
          execute format('create table %I (like webhook_deliveries including defaults)', name);
          execute format('alter table webhook_deliveries attach partition %I for values from (%L) to (%L)',
                         name, day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
        end loop;
      end $function$
;

CREATE OR REPLACE FUNCTION drop_event_partition(before timestamptz)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
      declare
        oldest text;
      begin
        select min(c.relname) into oldest
          from pg_inherits i join pg_class c on c.oid = i.inhrelid
         where i.inhparent = 'event_log'::regclass
           and c.relname < 'event_log_' || to_char(before at time zone 'UTC', 'YYYYMMDD');
        if oldest is null then return null; end if;
        -- A drop waits for open readers, and later readers wait behind it: give up soon and let the next run try again.
        perform set_config('lock_timeout', '500ms', true);
        execute format('lock table event_log, %I in access exclusive mode', oldest);
        execute format('update event_positions p set dropped_position = d.last
                          from (select app_id, (select max(position) from %I l where l.app_id = a.app_id) as last
                                  from event_positions a) d
                         where p.app_id = d.app_id and d.last > p.dropped_position', oldest);
        execute format('drop table %I', oldest);
        return oldest;
      end $function$
;

CREATE OR REPLACE FUNCTION drop_webhook_partition(before timestamptz)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
      declare
        oldest text;
      begin
        select min(c.relname) into oldest
          from pg_inherits i join pg_class c on c.oid = i.inhrelid
         where i.inhparent = 'webhook_deliveries'::regclass
           and c.relname < 'webhook_deliveries_' || to_char(before at time zone 'UTC', 'YYYYMMDD');
        if oldest is null then return null; end if;
        -- A drop waits for open readers, and later readers wait behind it: give up soon and let the next run try again.
        perform set_config('lock_timeout', '500ms', true);
        execute format('drop table %I', oldest);
        return oldest;
      end $function$
;

CREATE OR REPLACE FUNCTION hold_app(app text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$ begin
        perform from apps where id = app and deleted_at is null for key share; return found; end $function$
;

CREATE OR REPLACE FUNCTION hold_user(app text, owner text)
 RETURNS text
 LANGUAGE plpgsql
AS $function$ declare state text; begin select case when deactivated_at is null then 'active' else 'inactive' end into state from users where app_id = app and id = owner and deleted_at is null for key share ; return coalesce(state, 'unknown'); end $function$
;

CREATE OR REPLACE FUNCTION hold_user_for_login(app text, owner text)
 RETURNS text
 LANGUAGE plpgsql
AS $function$ declare state text; begin select case when deactivated_at is null then 'active' else 'inactive' end into state from users where app_id = app and id = owner and deleted_at is null for no key update ; return coalesce(state, 'unknown'); end $function$
;

CREATE OR REPLACE FUNCTION lock_user(app text, owner text)
 RETURNS text
 LANGUAGE plpgsql
AS $function$ declare state text; begin select case when deactivated_at is null then 'active' else 'inactive' end into state from users where app_id = app and id = owner and deleted_at is null for update ; return coalesce(state, 'unknown'); end $function$
;

CREATE OR REPLACE FUNCTION queue_event()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        insert into unsequenced_events (app_id, id, type, data) values (new.app_id, new.id, new.type, new.data::json);
        return new;
      end $function$
;

CREATE OR REPLACE FUNCTION refuse(reason text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
      begin
        raise exception using errcode = 'RF001', message = reason;
      end $function$
;

CREATE OR REPLACE FUNCTION revoke_sessions(app text, owner text, kept integer, at_most integer, event_block text)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
      declare
        last_ended text;
        count_ended integer;
      begin
        select max(id) into last_ended
          from (select id
                  from (select id, row_number() over (order by id desc) as place from sessions where app_id = app and user_id = owner and revoked_at is null and expires_at > now()) live
                 where place > kept order by id limit at_most) surplus;
        if last_ended is null then return 0; end if;
        with ended as (
          update sessions set revoked_at = now(), updated_at = now() where app_id = app and user_id = owner and revoked_at is null and expires_at > now() and id <= last_ended returning id
        )
        insert into events (app_id, id, type, data)
        select app, event_block || lpad(to_hex(row_number() over (order by id)), 6, '0'), 'session.revoked',
               jsonb_build_object('session_id', id, 'user_id', owner)
          from ended;
        get diagnostics count_ended = row_count;
        return count_ended;
      end $function$
;

CREATE OR REPLACE FUNCTION revoke_sessions(app text, owner text, kept integer, event_block text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
  declare
    last_ended text;
  begin
    select max(id) into last_ended
      from (select id
              from (select id, row_number() over (order by id desc) as place from sessions where app_id = app and user_id = owner and revoked_at is null and expires_at > now()) live
             where place > kept order by id limit case when kept > 0 then 1000 end) surplus;
    if last_ended is null then return; end if;
    with ended as (
      update sessions set revoked_at = now(), updated_at = now() where app_id = app and user_id = owner and revoked_at is null and expires_at > now() and id <= last_ended returning id
    )
    insert into events (app_id, id, type, data)
    select app, event_block || lpad(to_hex(row_number() over (order by id)), 6, '0'), 'session.revoked',
           jsonb_build_object('session_id', id, 'user_id', owner)
      from ended;
  end $function$
;

CREATE OR REPLACE FUNCTION revoke_sessions_numbered(app text, owner text, kept integer, at_most integer, event_block text, OUT ended integer, OUT first_seq bigint, OUT last_seq bigint)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
      declare
        last_ended text;
      begin
        select max(id) into last_ended
          from (select id
                  from (select id, row_number() over (order by id desc) as place from sessions where app_id = app and user_id = owner and revoked_at is null and expires_at > now()) live
                 where place > kept order by id limit at_most) surplus;
        if last_ended is null then
          ended := 0;
          return;
        end if;
        with revoked as (
          update sessions set revoked_at = now(), updated_at = now() where app_id = app and user_id = owner and revoked_at is null and expires_at > now() and id <= last_ended returning id
        ), stored as (
          insert into unsequenced_events (app_id, id, type, data)
          select app, event_block || lpad(to_hex(row_number() over (order by id)), 6, '0'), 'session.revoked',
                 json_build_object('session_id', id, 'user_id', owner)
            from revoked order by id
          returning seq
        )
        select count(*), min(seq), max(seq) into ended, first_seq, last_seq from stored;
      end $function$
;

CREATE OR REPLACE FUNCTION take_sends(app text, keys text[], windows integer[], maxima integer[])
 RETURNS TABLE(refused integer, seconds double precision)
 LANGUAGE plpgsql
AS $function$
      declare
        width double precision;
        now_seconds double precision := extract(epoch from clock_timestamp());
        newest bigint;
        sent integer[];
      begin
        -- All sends of an app count in one row, one after another: a wait for the disk each would be the limit. A crash
        -- of the server may forget the last moments' counts, no more.
        perform set_config('synchronous_commit', 'off', true);
        for i in 1 .. cardinality(keys) loop
          width := windows[i] / 60.0;
          insert into send_counts as c (app_id, key, slot, counts, expires_at)
          values (app, keys[i], floor(now_seconds / width), array_fill(0, array[60]) || 1,
                  to_timestamp(now_seconds + windows[i] + 2 * width))
          on conflict (app_id, key) do update set
            counts = (c.counts || array_fill(0, array[least(greatest(excluded.slot - c.slot, 0), 61)::integer]))
                     [1 + least(greatest(excluded.slot - c.slot, 0), 61)::integer
                      : 60 + least(greatest(excluded.slot - c.slot, 0), 61)::integer]
                     || (1 + case when excluded.slot > c.slot then 0 else c.counts[61] end),
            slot = greatest(excluded.slot, c.slot),
            expires_at = greatest(excluded.expires_at, c.expires_at)
          returning c.slot, c.counts into newest, sent;
          if (select sum(n) from unnest(sent) n) > maxima[i] then
            update send_counts set counts[61] = counts[61] - 1 where app_id = app and key = any(keys[:i]);
            sent[61] := sent[61] - 1;
            -- One more may be sent when enough of the oldest slots have left the window.
            return query
              select i, coalesce(min((newest + age) * width) - now_seconds, windows[i])
                from (select age, sum(n) over (order by age) as gone, sum(n) over () as total
                        from unnest(sent) with ordinality as slots(n, age)) as leaving
               where gone > total - maxima[i];
            return;
          end if;
        end loop;
      end $function$
;

CREATE OR REPLACE FUNCTION webhook_delivery_id(event_id text, endpoint_id text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
        -- The time of the event, then 64 bits of a hash: hexadecimal digits are digits of an id.
        select 'whd_' || substr(event_id, 5, 10)
                      || substr(encode(sha256(convert_to(event_id || endpoint_id, 'UTF8')), 'hex'), 1, 16)
      $function$
;

CREATE TRIGGER queue_event INSTEAD OF INSERT ON events FOR EACH ROW EXECUTE FUNCTION queue_event();

insert into migrations (timestamp, name) select right(name, 13)::bigint, name from regexp_split_to_table('
  CreateEvents1763600000000 CreateIdempotencyKeys1763600000050 CreateMasterKeys1763600000100 CreateJobs1763600000200
  CreateApps1763600000300 CreateIdentity1763600000400 CreateSessions1763600000450 CreateOauth1763600000500 CreateWallets1763600000600
  CreateLimits1763600000700 AddMessagesToApps1763600000710 CreateTotps1763600000800 CreateMagicLinks1763600000900 CreateOtps1763600001000
  CreateTransfers1763600001100 AddAssetsToApps1763600001110 CreateWalletRegistrations1763600001200 AddSigningPolicyToApps1763600001300
  KeepBlocksOfTransfers1763600001400 IndexDueTransfers1763600001500 CountSendsInOneWrite1763600001600 RefuseInStatements1763600001700
  IndexUserSearches1763600001850 IndexLiveSessionsOfUser1763600001860 RevokeSessionsInOneStatement1763600001870
  BoundSessionsEndedByLogins1763600001880 RevokeSessionsInBatches1763600001890 LowerCaseEmailDomains1763600001900
  KeepProofsOfTransfers1763600002000 KeepCancelRequests1763600002050 RankJobs1763600002100 AddSettingsToApps1763600003000
  PublishApps1763600003100 PublishUsers1763600003110 PublishSettingsOfApps1763600003400 CreatePasskeys1763600003500
  CreateEventLog1763600003600 QueueEventsForTheLog1763600003610 NumberEventsOfRevokedSessions1763600003620 CreateWebhooks1763600004000
  CreateReportedRefusals1763600004500 ChainAuditEntries1763600005000 CreateAuditCheckpoints1763600005010 CountRefusedCalls1763600005020
  PublishHoldOfApps1763600006000 CreateWalletAddresses1763600006010 AddRolesToManagementKeys1763600007000
  CreateManagementSessions1763600007010 IndexTransfersByStatus1763600007100 CreateMessages1763600007110 CreateStatistics1763600007200
  IndexStuckTransfers1763600007210 IndexFiltersOfAuditLog1763600007310
', '\s+') name where name <> '';

insert into apps (id, name, mode, default_wallet_type, allowed_origins, limits, created_at, updated_at, deleted_at, messages, assets, transfer_policy, signing_policy, settings) values
  ('app_01m871pzcze7775acspf1jddz4', 'Shop', 'test', 'ethereum', '{}', '{}', '2026-11-24 15:10:12.383+00', '2026-11-24 15:10:12.383+00', NULL, '{}', '[]', '{}', '{}', '{}');

insert into management_keys (id, name, key_hash, from_environment, created_at, last_used_at, revoked_at, role, expires_at) values
  ('key_01m871pz7v5an7pcgq95zk5m2k', 'MANAGEMENT_KEY', '\xd7f6b7154a4d0cece834393202b4fccc7aca115d52a27ee9d95b546d9c8db5a8', 'true', '2026-11-24 15:10:12.203811+00', '2026-11-24 15:10:13.374051+00', NULL, 'owner', NULL),
  ('mkey_01RC', 'Ops', '\x0a', 'false', '2026-11-24 15:10:20.027446+00', NULL, NULL, 'owner', NULL);

insert into transfers (app_id, id, user_id, status, stage, source, source_address, dest, chain, network, currency, symbol, decimals, token, amount, fee_cap, fee, custom_id, notes, hash, failure_code, retry_safe, created_at, updated_at, expires_at, confirmed_at, completed_at, cancelled_at, stuck_since, next_check_at, mined_block, stuck_reason, proof_progress, nonce_used_by, cancel_requested_at) values
  ('app_01m871pzcze7775acspf1jddz4', 'transfer_01RC00000000000000000000DONE', 'user_01m871pzfyc337gmhzav26mktc', 'completed', NULL, 'wallet_01m871pzg750yrawzv470wz001', '0x24E1F4Dc8233D305e09634dd848B9d571ce76421', '0x00000000000000000000000000000000000000bb', 'ethereum', 'eip155:1', 'ETH', 'ETH', '18', NULL, '1000', '21000', '20000', NULL, '', '0x01', NULL, NULL, '2026-11-24 15:10:20.045057+00', '2026-11-24 15:10:20.045057+00', '2026-11-24 15:10:20.045057+00', '2026-11-24 15:10:20.045057+00', '2026-11-24 15:10:20.045057+00', NULL, NULL, NULL, '7', NULL, NULL, NULL, NULL);

insert into users (app_id, id, first_name, middle_name, last_name, status, wallet_type, deactivated_at, deleted_at, created_at, updated_at) values
  ('app_01m871pzcze7775acspf1jddz4', 'user_01m871pzfyc337gmhzav26mktc', 'Ann', '', '', 'active', 'ethereum', NULL, NULL, '2026-11-24 15:10:12.478+00', '2026-11-24 15:10:12.478+00'),
  ('app_01m871pzcze7775acspf1jddz4', 'user_01m871pzp0et3jvbmme768y3hd', 'Bob', '', '', 'active', 'ethereum', NULL, NULL, '2026-11-24 15:10:12.672+00', '2026-11-24 15:10:12.672+00');

insert into api_keys (app_id, id, kind, name, key_hash, created_at, last_used_at, expires_at, revoked_at) values
  ('app_01m871pzcze7775acspf1jddz4', 'key_01m871pzd02710z7865xkeg3my', 'secret', 'First secret key', '\xeccd838bc324c95d067772f7d6f8f15189e3000dea16149ba39fd67207325104', '2026-11-24 15:10:12.384+00', NULL, NULL, NULL),
  ('app_01m871pzcze7775acspf1jddz4', 'key_01m871pzd02710z7865zmjcxc1', 'public', 'First public token', '\x2fab9d5fa616f0bc35bee24273c42c79f78fa52db9c373a08cd9ba8966fe6623', '2026-11-24 15:10:12.384+00', NULL, NULL, NULL);

insert into audit_chains (app_id, last_number, last_hash, last_checkpoint, hour_number, hour_at, day_number, day_at) values
  ('', '0', '\x0000000000000000000000000000000000000000000000000000000000000000', '1', '0', '2026-11-24 15:10:12.239+00', '0', '2026-11-24 15:10:12.239+00'),
  ('app_01m871pzcze7775acspf1jddz4', '1', '\x5a68adcd7ca00bf077695485419ddd9885a512ffd409586be59bf801afd155ab', '0', '0', '-infinity', '0', '-infinity');

insert into audit_checkpoints (app_id, seq, kind, number, hash, at, key_id, signature) values
  ('', '1', 'day', '0', '\x0000000000000000000000000000000000000000000000000000000000000000', '2026-11-24 15:10:12.239+00', 'auditkey_01m871pz7j5pynzh1vhhchxs23', '\x6faab9373ba2dc0d6cb03839729a742339bc40ae516ae979167e4baadce38b2e8272b339b65167895bca2c36916c6a530cc8c343ddc6430bd0f24b71f709b705');

insert into audit_log (app_id, id, actor, action, target_id, fields, request_id, created_at, outcome, error_type, calls, ip_commitment, number, chained_at, hash) values
  ('app_01m871pzcze7775acspf1jddz4', 'audit_01m871pzdyf829mj6z4z2qzp68', 'key_01m871pz7v5an7pcgq95zk5m2k', 'app.created', 'app_01m871pzcze7775acspf1jddz4', '{}', '1d8c5acf-d377-42c5-b8cb-83881af0235b', '2026-11-24 15:10:12.414+00', 'ok', NULL, '1', '\xc62051a8a434f7f4c774770792bbf4b019fcc92164815e3de5bdd34e020d6c28', '1', '2026-11-24 15:10:13.274271+00', '\x5a68adcd7ca00bf077695485419ddd9885a512ffd409586be59bf801afd155ab');

insert into audit_personal_data (app_id, entry_id, salt, ip) values
  ('app_01m871pzcze7775acspf1jddz4', 'audit_01m871pzdyf829mj6z4z2qzp68', '\x4c5cf9487f84992190ef2db6f22c59d3250bda7a0387e16e6ceb0ed6c8a0b48b', '127.0.0.1');

insert into audit_refusals (app_id, error_type, actor, network, since, calls, written) values
  ('app_01m871pzcze7775acspf1jddz4', 'not_found', 'key_01RC', '192.0.2.0', '2026-11-24 15:10:20.060266+00', '3', '0');

insert into audit_signing_keys (id, public_key, sealed_private_key, created_at) values
  ('auditkey_01m871pz7j5pynzh1vhhchxs23', '-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAaYh3CfSF8CQcqunol01yNdJqpAh7zVO/L02jd3j12s8=
-----END PUBLIC KEY-----
', '\x010474657374004c9590ce1bc3f4126c0c3747f8cbbca290833565ba00102aef85778ae03e2a0b65995c572e894dbbf2ddded8944747c42f3c54d8cfc92a7d50403b77f0d71628e60b5f3761301e1036046ba64b3ef3129d42e175e1e8d11aaeffa9629e9c6fe42915f42465f3fb10df35a78b8dccc20a3a8f1b6f5a0b89d77d6c1acd53f9114057a049fdb1eee2d25c94651e735db617fabb97eec34135cbd1', '2026-11-24 15:10:12.226365+00');

insert into chain_lanes (app_id, network, address, next_nonce) values
  ('app_01m871pzcze7775acspf1jddz4', 'eip155:1', '0x24E1F4Dc8233D305e09634dd848B9d571ce76421', '7');

insert into counted_events (app_id, position, sequenced_at) values
  ('app_01m871pzcze7775acspf1jddz4', '6', '2026-11-24 15:10:12.887405+00');

insert into emails (app_id, id, user_id, text, canonical, verified_at, created_at, updated_at) values
  ('app_01m871pzcze7775acspf1jddz4', 'email_01m871pzfyc337gmhzaxrzhwes', 'user_01m871pzfyc337gmhzav26mktc', 'ann@shop.example', 'ann@shop.example', '2026-11-24 15:10:12+00', '2026-11-24 15:10:12.478+00', '2026-11-24 15:10:12.478+00'),
  ('app_01m871pzcze7775acspf1jddz4', 'email_01RC00000000000000000SECOND', 'user_01m871pzfyc337gmhzav26mktc', 'ann@other.example', 'ann@other.example', NULL, '2026-11-24 15:10:12.478+00', '2026-11-24 15:10:12.478+00');
create table event_log_20261124 partition of event_log for values from ('2026-11-24T00:00:00Z') to ('2026-11-25T00:00:00Z');

insert into event_log (app_id, id, position, type, user_id, body, created_at, sequenced_at) values
  ('app_01m871pzcze7775acspf1jddz4', 'evt_01m871pze6ea37dd42ta5mq05k', '1', 'app.created', NULL, '{"id":"evt_01m871pze6ea37dd42ta5mq05k","type":"app.created","created_at":1795533012,"app_id":"app_01m871pzcze7775acspf1jddz4","position":1,"timestamp":"2026-11-24T15:10:12.386Z","data":{"app_id":"app_01m871pzcze7775acspf1jddz4","mode":"test"}}', '2026-11-24 15:10:12.386534+00', '2026-11-24 15:10:12.491394+00'),
  ('app_01m871pzcze7775acspf1jddz4', 'evt_01m871pzgqccstz84k75wd7vwr', '2', 'user.created', 'user_01m871pzfyc337gmhzav26mktc', '{"id":"evt_01m871pzgqccstz84k75wd7vwr","type":"user.created","created_at":1795533012,"app_id":"app_01m871pzcze7775acspf1jddz4","position":2,"timestamp":"2026-11-24T15:10:12.479Z","data":{"user_id":"user_01m871pzfyc337gmhzav26mktc"}}', '2026-11-24 15:10:12.479248+00', '2026-11-24 15:10:12.652542+00'),
  ('app_01m871pzcze7775acspf1jddz4', 'evt_01m871pzgqccstz84k76qhjbg4', '3', 'wallet.created', 'user_01m871pzfyc337gmhzav26mktc', '{"id":"evt_01m871pzgqccstz84k76qhjbg4","type":"wallet.created","created_at":1795533012,"app_id":"app_01m871pzcze7775acspf1jddz4","position":3,"timestamp":"2026-11-24T15:10:12.479Z","data":{"wallet_id":"wallet_01m871pzg750yrawzv470wz001","user_id":"user_01m871pzfyc337gmhzav26mktc","wallet_type":"ethereum","public_address":"0x24E1F4Dc8233D305e09634dd848B9d571ce76421"}}', '2026-11-24 15:10:12.479248+00', '2026-11-24 15:10:12.652542+00'),
  ('app_01m871pzcze7775acspf1jddz4', 'evt_01m871pzpeaweczm49ag9qs0fk', '4', 'user.created', 'user_01m871pzp0et3jvbmme768y3hd', '{"id":"evt_01m871pzpeaweczm49ag9qs0fk","type":"user.created","created_at":1795533012,"app_id":"app_01m871pzcze7775acspf1jddz4","position":4,"timestamp":"2026-11-24T15:10:12.673Z","data":{"user_id":"user_01m871pzp0et3jvbmme768y3hd"}}', '2026-11-24 15:10:12.67346+00', '2026-11-24 15:10:12.730356+00'),
  ('app_01m871pzcze7775acspf1jddz4', 'evt_01m871pzpeaweczm49aj61nncp', '5', 'wallet.created', 'user_01m871pzp0et3jvbmme768y3hd', '{"id":"evt_01m871pzpeaweczm49aj61nncp","type":"wallet.created","created_at":1795533012,"app_id":"app_01m871pzcze7775acspf1jddz4","position":5,"timestamp":"2026-11-24T15:10:12.673Z","data":{"wallet_id":"wallet_01m871pzp4cy7s9m3sh3r2gs5a","user_id":"user_01m871pzp0et3jvbmme768y3hd","wallet_type":"ethereum","public_address":"0x21fef33dC6b31A738C5CA10f7c88B1427A3e8CcB"}}', '2026-11-24 15:10:12.67346+00', '2026-11-24 15:10:12.730356+00'),
  ('app_01m871pzcze7775acspf1jddz4', 'evt_01m871pzwket95vh47wq2qbhnw', '6', 'session.created', 'user_01m871pzfyc337gmhzav26mktc', '{"id":"evt_01m871pzwket95vh47wq2qbhnw","type":"session.created","created_at":1795533012,"app_id":"app_01m871pzcze7775acspf1jddz4","position":6,"timestamp":"2026-11-24T15:10:12.869Z","data":{"session_id":"sess_01m871pzwc8mqfqg4pjctwc4pk","user_id":"user_01m871pzfyc337gmhzav26mktc","factor":{"delivery_channel":"embedded","type":"magic_link","method_id":"email_01m871pzfyc337gmhzaxrzhwes","method_type":"email"}}}', '2026-11-24 15:10:12.869599+00', '2026-11-24 15:10:12.887405+00');

insert into event_positions (app_id, last_position, last_sequenced_at, dropped_position) values
  ('app_01m871pzcze7775acspf1jddz4', '6', '2026-11-24 15:10:12.887405+00', '0');

insert into event_statistics (app_id, hour, metric, label, value) values
  ('app_01m871pzcze7775acspf1jddz4', '2026-11-24 15:00:00+00', 'logins', 'magic_link', '1'),
  ('app_01m871pzcze7775acspf1jddz4', '2026-11-24 15:00:00+00', 'users_rc', '', '1');

insert into idempotency_keys (app_id, path, key_hash, body_hash, answer, created_at) values
  ('app_01m871pzcze7775acspf1jddz4', '/v1/auth/users/create', '\x9d73284c3c6aef305a76a4b52abac74632f787b749c2ec5c89807ec8c8371f10', '\x0ad7d9d04e689401ab86489ceb6ae7d2b7ff0709b9e42ac95092743fb0a0a24e', '\x010474657374004c8de403963e7b817b7aed22ed9210fb6baf6315477d999eef3a372dc63eab579144f9a71219df8d818623e2fdc0a382fdfd06d8acfcc685d708ff3681e0de3e2793dfeba92e927d74146c2d0f72e1bbb5ee51c6b7d2779957bc015c77f6b794099866ef5ff7feabe40b0fc5b55020bc7a07d0df48448008ce4ce43d6101cd6fd7195ed7793f856f1373989fde6e29b0ebbf907b83cb4c065e35973a65633bd68159ca79cc609066e98f90f3bae69a12fb9d672282e029e6a8788eb82a941508a15296462fb7740ca8b1813af302b4f7b9c17e13cc78619f1608730c434254a03059aaa0ef935b1a3c00eb0b3a86c2ec4a338eeea03b87c2afade0e08ab37edf1379c6b4f7e4104f03784ae1a076184b723f5676855077ad28159b2b6f98d0e511b487ad26781f43766ee664ab2df681a7838ba6ef721e52238e7c9b5253ad07d594ac7652c6813db78840e6f704d347081bd4da934d52b8faf28558355f4f9063ec24d6b5cc7ab71c766a00798cbe71c921818d36fbb48c1acfc98497b6d047401f9d1f29f408fe8fbd26145bdac89140929c1a58433b6578f2302fc3f4003423d93f7f6b1ae703afea1ca3579dca60ca6c267187c9d58cda96a4252eb4205212a6fa749c7937fcf5618311b28c37c0b53d6cb2ff740c2df9c1de315aea15a3a957dce1c4ebfe54ccdc53f6cc55cf6f1d6d70c9a8c48c3e9dcdbb8ca8e92d522efb93038b7cb3664738f1de9bde03da0c64f4dfec2f9abe9e9a7f1bbd52d37a5e92e414d9049b74f5135078f61f82f16c8dc3e058860780ae9700834d79f659ed147b0926645b14d72a9a2c693fdbfd2fdb5db909055ab29b1067573d1564340eb2cc58e0ff1c48f0a43db69755ce86a3a468f4f88bf0f0e48be58068c125313bc947e4c84b0712385905db0ccfc31bb841440bc82f9234d0caaec2ad5d186ba7d19f246d0bcf3175f95e48f704df88b890b09a86d6c3730e756c151a7b891a2850e8ff1cf733e865ae8fcccb34dadacd9bbb3c770a33989e1246485d9b073f5e17cd0751263b9e3ed5437008258d44a5fae47637f3c66ff1c8a47af46b78f4021aa12e64053b223869e34c6291861c45081ccd6f0421d20c9bdcd630628604e548032da8db5cbf62db71679702da0c4aa99dd7983168ec0e777a5aff6c836c4f3e7da13a876c6affa64dd54e898bb5074bba6a9400dd4031cff5f0dd3c023a631f32f288915ab5cfb0b3cd4a3dbfb8ac1b74ddb532c074192d7b9a1e18ba6ff5176221dd1bdaa8248bfb80665956382864350160aa8b0d99085514336f096fb317f5bded83fade0b7f86f26fb82398e2ffe8b543d4a47579beab30fab89ec0edccfa7993eced0e809782f0e43ec7b365c2a0f9f9e917598005a649a82f959c6e929dd0ef6ac5aa007792c360de9467aec3baff21e789c4041de7a06b5814af89dbf831810a8cd3be303890', '2026-11-24 15:10:12.67346+00'),
  ('app_01m871pzcze7775acspf1jddz4', '/v1/auth/users/create', '\xdac084c7451c3ff5eeb8086242e77b31cde10c90e4ce24583f029b78cdb276ef', '\x3a51c8106dd1a5bcb9f49769c009ed4b048d6a63e349c84ae44af8cef4f0531d', '\x010474657374004c2d1332ed98805b71676b34d110f39d3c8e97f27054f07bf9068a31fd1e05ea7300e005b2d057807eb266a4bf3d93f6917666d19361397e789d3717e4e2803f6659ff1b484f8cdeff0773255f919f54112b99cb5196b1a1f553279f45515a816cb5a0a6ff95b97caad49321ab96485596948c94d4bb3977f67547053dd5126801b78915d49841f2e1a57c14e48700f17133e19dce810b50353742c946f2fc477d90f0088712b5668829f0b902a8da0f5b9b1f569eb6d20faaec5e1645623ca2ca224eab7819b4a7646b86101ff24b0838ca7ef6bd755e7fe86f14064b72c16650b9fdfe956287fbebcb8c87c56c6f0508e65c273cec8582ba130c41e72a6891e3405d7e7d304ae6157d3f3c219e7ba3a6f86c1ddd5559d88f406f3548119b55ebd8dfd4c7875448147c9398fba98eb40af918d301532f00c00231ab8c3e32e56893ba561e13dbbdd53cb5e5ce4e4d42e7d4493bc80dc666f754d6599189aaa2240ec824fb039831a63d1addb1511bb226c037e14eb82be7221691213020eae83c32796a387a8a931ef074d2cf7bd4d44e50859c1d2365fc8f3075763a8227c9f3321989bc8e21ade3a8844e4a6c44878507d1c81858c3057942cd520967bdaffbdb8e5c753c710e3f9dd90749a74db8aa0ea30a7e520970e7f9c0a0965c5d2200209f1126e9adf27e72730a49896a25717e903c8f13def58ef986743bf21936e9acf22819550e0ad9fa1f3e217aa342c18d2d5810b0f95e703ba7067dc0c8f99e135f6db79348f07980995e37faf978b190dd4fc1a6a2d916a9a04701bcfa83769855546e561c7589de6f232791c16dfedecc2d2063b25c323d10a5397071ac27ec4c6b11b1f4380a7cf98a0d53cea97ad7f4375b5bd741cff06a46e258ea70afbe6384947ac392477b7a3c51ca74a5bf5c80ef68cbd71516d96525efd34b239501dc52beb91f6876785f734b7b616099222641a82507d19e014828ecf1127313112af17c793e3439c535974a14f7cf213d0215a4a0ca498ee1413bc0eb3f866bf73c9c759c99f193a3b7eca803b563d739fc98a2850a67f79a6396da4c3a02f4234de352c12795c210f43884975f0c65220e535049b7082e1559d542be4b062cafc6b1303f5d93b08802bd1c7b7cf63cfb81ded9a7bcced102b525644fa43001c4af6a4bda324bb84783e097a0968ac4431470ea9b90b895c5b78930b4314c12d69e5cdaba447123556413f0171869d27d6dae1ca6a711d0f101e0f786090dc7dacfeadf3f74935df207b223b1702202bfb46ece563a506d20eae07cba98290df6a2e46eaf364f1cb132ad041e32134f5627ba85866ed25eaa0118a88bb5c42d898a180c7593e0485e8b7f68b37bd8845dff3fbe8dda9ae2ff89ef1ddc7f244ce5d6099872dcf89995888630be74b348c3f031f770cfb0db2393c81557b5e59f9dcddc875bb97b462804ad', '2026-11-24 15:10:12.479248+00'),
  ('app_01m871pzcze7775acspf1jddz4', 'POST /v1/auth/users/create', '\x01', '\x02', '\x03', '2026-11-24 15:10:20.023453+00'),
  ('management', '/management/v1/apps', '\xe5e2b0c24b52e5b85d50a2487128e2b5d68fe71f6aa9fe827c3207c73f68ab20', '\x3b7542cbaa0fdd7838da117a49754358f0cdf2261601d39987ccc7fb43658b0d', '\x010474657374004c9657a4e45cf933e581609b4dc752904508d81ddcc9e9ea3af2aa63eb6f44e4f6383071fee38ebb622ca9b77e9f93e0a12f6fc56441362704f539362ae8132668268eef292927e0e8c8683a3c0f7f7323a08c180028051299936bb877dca284ff6ae732ef092c371a67b3c4ce1340080fcc78af27d09460cb826dc24ffa3bf5f2c08c990c5f71203e925f7e33945baf6f6639049edd1db09dd90656e4216ed7cfeedc582d89e8d27689a7faff2be33d01010c961d0be42ea9ed814a1c7b69b935c434bda5cefb6ffab2c3a059f379adec05d816751e7112d86c26e5a0de3d1b5c65ee1f863268de29dd626d3f41226e43a0ca75c092e1546b76d4bb17ac87c7f280981b08b5e6c6ca5531aef2eee6d46d95b5b92d3b8c6edf06718cd4b6755401a641cb8ac3aae834a0593ac4f3a3276c79e29f5adad5fabd2751d3c92affc90ea8925f6d578307477b23d6fdcedb05ca316b22d51d47052e7a32899cfcc6f09737000e632934fb160b90023515cce6ae36a34289c1e6c27212d8390b388ec885322be1723fea13f656093640b448632354b6373010e6d50b8f4d8da4447a4a782ec5b19a87468f113ffb289935a32b4f19259c51c3d8f369de16afb69377bee829eff93e1db15f5ce1d778c177857b7cd4da9d5526296e744054dc2ac2582e1914feb3b68302e78387d11bfcf23386a184cbe2e20f47054891616ee68055cbe60bcf6173f383c0b71158fbd1f49e7a7423ef0f0d8b407922c7510a5452e9171dd70a7db7c18e5a04c7e183066bf3b758feb7602e4be4fdef064eb05479be47227d86f3dc0dba2f05ebd8d7ce512f6a92ab37735e5f01fd69ac8360e5294367f280cd25a0ad79c66919518c7719fa06e67d2b6b98f70251848e2cd624200c2a2e40700c0f578bae45a316d5c95f7b6721aa30d5f6b37fe83d9acada6856f3b6d8449ae61a1bdd3eafb0d3d1ae19a4a431cb8e5c71cdf21dc01dce74c61fd3c76832555ec46be4e246f51bc423cdedf3318dc1417f232ef5dc3d221568d276c68435f4260f063d7ddfbc8b9076c6aca075566189a81b61e78fdcaed45c3b56bbc09bb016d26df5175cf77f55bbc007e29edb5fb365ce53953206116519a233952c5fc4bd9a818bc1f03eb551ac7c5921009da6b547c32b16fcb881c3cae099d6e3a9217e86908f225a45e342a02f1bfd6d6e2686195764055e62e23b259455b899f2ed1cb094c261bacbf3c5f3e22f01a9beb2e2da30942d7adc87fc68c25af53cfd3e31da2846312159f6c4b8c2853376b520dfb0bb06d97ab03e4480afd50bb70bead5e8447ec8ae1755f35384e0667b4ad39e45db4cc9ecd0fb71e5cd25604bc33acbfe7c6caf7c9be7056947b52a30e2ab88f568f14958a3c4edabf5eaded98eb9e57cf189fcfa55b2914b6e56bbd757256de1c37dcf468168a697406fe8eabb98c5b107ac57c64caa222d5b7aa27855e211a74c44f11e8a3f1cf3384c055f5cea', '2026-11-24 15:10:12.386534+00');

insert into jobs (id, kind, payload, unique_key, attempt, due_at, lease, died_at, error, created_at, rank_at, app_id) values
  ('job_01RC00000000000000000000DEAD', 'mail', '\x01', 'rc', '0', '2026-11-24 15:10:20.02468+00', NULL, '2026-11-24 15:10:20.02468+00', 'refused', '2026-11-24 15:10:20.02468+00', '2026-11-24 15:10:20.02468+00', NULL);

insert into login_tickets (app_id, token_hash, user_id, connection_id, provider, subject, provider_identity_id, sealed_tokens, code_challenge, created_at, expires_at, consumed_at) values
  ('app_01m871pzcze7775acspf1jddz4', '\x0d', 'user_01m871pzfyc337gmhzav26mktc', 'connection_01RC', 'google', 'subject', 'identity_01RC', NULL, NULL, '2026-11-24 15:10:20.03481+00', '2100-01-01 00:00:00+00', NULL);

insert into magic_links (app_id, token_hash, user_id, email_id, email, ip, user_agent, mismatches, created_at, expires_at, consumed_at) values
  ('app_01m871pzcze7775acspf1jddz4', '\x406f6355d3bfb129afa26db40bf71d764270141af9435d4f04b95699c2b0f0c3', 'user_01m871pzfyc337gmhzav26mktc', NULL, NULL, NULL, NULL, '0', '2026-11-24 15:10:12.707112+00', '2026-11-24 16:10:12.707112+00', '2026-11-24 15:10:12.869599+00');

insert into management_sessions (token_hash, key_id, created_at, expires_at) values
  ('\x0b', 'mkey_01RC', '2026-11-24 15:10:20.027851+00', '2100-01-01 00:00:00+00');

insert into master_keys (key_id, check_value, created_at, retired_at) values
  ('test', '\xb7218d9dc6a55d4321d69945d9101311365f23ad18eb36ce2daefb6d4b3e6614', '2026-11-24 15:10:11.939732+00', NULL);

insert into message_statistics (app_id, hour, label, value) values
  ('app_01m871pzcze7775acspf1jddz4', '2026-11-24 15:00:00+00', 'email', '1');

insert into messages (app_id, id, channel, kind, recipient, status, attempts, last_error, created_at, sent_at) values
  ('app_01m871pzcze7775acspf1jddz4', 'message_01RC', 'email', 'login', 'ann@shop.example', 'pending', '0', NULL, '2026-11-24 15:10:20.060709+00', NULL);

insert into oauth_connections (app_id, id, provider, client_id, client_secret, issuer, team_id, key_id, private_key, trusts_email, created_at, updated_at) values
  ('app_01m871pzcze7775acspf1jddz4', 'connection_01RC', 'google', 'client', NULL, NULL, NULL, NULL, NULL, 'true', '2026-11-24 15:10:20.026809+00', '2026-11-24 15:10:20.026809+00');

insert into oauth_states (app_id, state_hash, connection_id, login_url, registration_url, sealed_verifier, nonce, browser_hash, code_challenge, created_at, expires_at, consumed_at) values
  ('app_01m871pzcze7775acspf1jddz4', '\x0c', 'connection_01RC', 'https://shop.example/login', 'https://shop.example/login', '\x01', 'nonce', NULL, NULL, '2026-11-24 15:10:20.031012+00', '2100-01-01 00:00:00+00', NULL);

insert into otps (app_id, method_id, user_id, address, sealed_code, generation, tries, created_at, expires_at) values
  ('app_01m871pzcze7775acspf1jddz4', 'phone_01RC0000000000000000000ONLY', 'user_01m871pzp0et3jvbmme768y3hd', '+12025550123', NULL, '1', '0', '2026-11-24 15:10:20.044567+00', '2026-11-24 15:10:20.044567+00');

insert into phone_numbers (app_id, id, user_id, text, canonical, verified_at, created_at, updated_at) values
  ('app_01m871pzcze7775acspf1jddz4', 'phone_01RC0000000000000000000ONLY', 'user_01m871pzp0et3jvbmme768y3hd', '+12025550123', '+12025550123', NULL, '2026-11-24 15:10:12.672+00', '2026-11-24 15:10:12.672+00');

insert into provider_identities (app_id, id, user_id, connection_id, provider, subject, created_at, updated_at) values
  ('app_01m871pzcze7775acspf1jddz4', 'identity_01RC', 'user_01m871pzfyc337gmhzav26mktc', 'connection_01RC', 'google', 'subject', '2026-11-24 15:10:20.029743+00', '2026-11-24 15:10:20.029743+00');

insert into redirect_urls (app_id, id, kind, url, is_default, created_at) values
  ('app_01m871pzcze7775acspf1jddz4', 'redirect_01RC', 'login', 'https://shop.example/login', 'true', '2026-11-24 15:10:20.025247+00');

insert into reported_refusals (app_id, key, ends_at) values
  ('app_01m871pzcze7775acspf1jddz4', 'rc', '2026-11-24 15:10:20.059677+00');

insert into send_counts (app_id, key, slot, counts, expires_at) values
  ('app_01m871pzcze7775acspf1jddz4', 'recipient:rc', '1', '{1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1}', '2100-01-01 00:00:00+00');

insert into sessions (app_id, id, user_id, token_hash, started_at, expires_at, last_active_at, factors, user_agent, ip, revoked_at, version, updated_at, created_at) values
  ('app_01m871pzcze7775acspf1jddz4', 'sess_01m871pzwc8mqfqg4pjctwc4pk', 'user_01m871pzfyc337gmhzav26mktc', '\x2b87cb935f4f85673532823c3b501aeb92c75d7273d0035cc6efd0ff796e7b28', '2026-11-24 15:10:12.869599+00', '2100-01-01 00:00:00+00', '2026-11-24 15:10:12.869599+00', '{"magic_link/embedded/email_01m871pzfyc337gmhzaxrzhwes": {"type": "magic_link", "method": {"email": "ann@shop.example", "email_id": "email_01m871pzfyc337gmhzaxrzhwes", "method_id": "email_01m871pzfyc337gmhzaxrzhwes", "method_type": "email", "last_verified_at": 1795533012}, "delivery_channel": "embedded"}}', '', '', NULL, '1', '2026-11-24 15:10:12.869599+00', '2026-11-24 15:10:12.869599+00');

insert into signing_keys (app_id, id, state, public_jwk, sealed_private_key, activated_at, retired_at, created_at) values
  ('app_01m871pzcze7775acspf1jddz4', 'jwk_01m871pzr31fm9epzp21qms7x2', 'current', '{"e": "AQAB", "n": "2G_XWsEXNcYXNq-B-HqLMxgI9Jq4H2pMEGm0uks38C0PtfnnlNA4TbfFn95slEtxJRehxkrQB7x_Kp2wrsKrB8MVh-6dmP7_cmpkl74WV_45yQLmBaPNK1eDcw2rkRqf-FYHDVTnEzPW8aVIYHu75RZ31KvKdQNky16hgQgwq__uuiFgyrUaO4gzpz5rQeOGFiopNAfmFUbQgnKc2J9E3c570gC4g6UOw5ryqkjN0JH28VtdRPtlGeTjUktXliNKtqPj631hRxl8hFxrEcIkelyrP2a0kS-cWwwLowEY84dqZ8zr3IZzT8Pp8asv-5dSj4QtvaQTVlTfYAVKPAdJ_Q", "alg": "RS256", "kid": "jwk_01m871pzr31fm9epzp21qms7x2", "kty": "RSA", "use": "sig", "key_ops": ["verify"]}', '\x010474657374004c84b7d549340ea4e47aade34cde2764b83e1733e15eaab5191769c517801fa6546dc90cc4006d0da4ff0c3c64bde84f6f44c80b1121c75aaef41f05c429da8b227ff5cddf5d4118a50a3e938dd4c44126ecac9afd4ea393db66647041d8311081fcb8fe457fbfe6f23fbcbfecf03d7f1fe24fabc6028ee2b935f344ed7dba4ad6d778e793c2918b523cbf36b12514b240d78b76a5699afd6031654f2a3a1692c8c7dc4b23f2e6013f69833e48aa0a875dcda3e758b7d0f332fd39bbebf64ade318f188977d4d08d1fc0b902ada6a4461305eb5bc2af2079e9a417aa5b93d5b7cc3a8ebbaaf2412ed12cc8827d6d184882d8bf53072f1aff5e377a53a1f0abccccd76524c0c3ea41c49c6cab83e43f1f19dabe579ab1b3762a0be9fc39c39d9224119b3916c6c128840d37560b62b852700f3bbfa55393658be007ac95bb4ca9e7eaf4da8a65bb233ec61024d3da8f531284b0b9d5dba895323b2b65c00bb2e24f9e836a36d94176d51cf7050e7622f02f0667d2c940e3f4406bce074ab5d6139a852d8fbfbde9092414fc6bc67d44950a4c9089eedd6c940926f818e4dc8bec20fea31f39fd350aea31b9fac11e863555586598522e52b4671cf5e26c0cc8d11b4b5d0c77ccb8b1f00b3efe25c197cad9059c3e3b7cfa62ba86abfecad84ac2946b01b5523585373c91009753939bbe5d043e4926abc4721109878e95bbf48565a3c049cd28b3b0e8cf47eda577ee89e79e16d2ee4403a498e086403234ed62e37c8cae6ad92abef07cf15f26dd0ce0eb4465959510b53663d66cf08062f781775bbeca4861766ddf38c141f2d891a5655737c78616626e11d05957b227b16a4d96cf163665b1e431a506842eff12bbd903c6a5fab1a36c245c0b7aeeabf239c9c5668ab71e4341850db6135a4dd0751aefaa06862b63ee1226d3252539e1b5fcec63e138679974b5d8e54a49a411f5a271ab6f30877c9380b5fdbedf398ae91506961e8d0234edd901913b0d01183f430a42878ab5ab0a45b7e6aabd938061315e5563515433158626c3e678dc382e081822dc07dfdaccf2eb7c23e18b0b05f0228927be00ef3c0c7757fa070439bcdee768811ac24102bdd341a9506bf9bf61f35d83b6e5ba45e8862050372e240f8469b1536d8758a48c058fa5ab20d7554773380d304d94bfc3d574b7de31b35ebcec3011bab905d34a1ddb7b23c138a2641b0afea640328cecd4574783924b7ebdc2e265681452df0fe61af720a0be9eb4c1e0a46b313988ceba0995ec06a2f6885cc94112cd6f903ca5afb14d3b9e8dccd917b087a141dbef81b25c50f88662e9d98cc9596966381719c1ff0699e7428adfffb5f1d705491a85efab81e8a76053114f1a03ae1182b411245f0125ca20fb918ee39635dc9ef396ab6acf013d34d1c08f6d6ee4ba8b030a20e8f6492e6a0e80a4c064bd85283438bd20ea5a5a6c077689e05ea94da3f84120c107bfc9e973fdf4a3956516bff550e7d5188da9b55a7218625e04d794d2aac16e179e04fa242b1aaf1cf979ae12db478e0a1a23a1a65758914097d09ff734d37388ec72ba023494b8ffcc346333086ace23fa1b70530673fd2fde13e421d84e18000c774f08bd70e25fe54229ee746471a1173308c5dcd9140584cdccbee3b34d51756babee0f7a524583c140513d444c62a8e2df065319b969610409246ba0f8966ca78ccac4a328a77534ff94ff6a64d4552fb5d2c1c548b067c955a541446f9d862115daefbd19fcbecd9974445deeab83a55778ef19dc89b183acbf8f041f6f745faec3a447be1ecc56e96708c7fc1c0558f2eb106f1f22474cb267b2f7ac21a09b3bdcbf1ffbd09c314ef29b90', '2026-11-24 15:10:12.859286+00', NULL, '2026-11-24 15:10:12.859286+00'),
  ('app_01m871pzcze7775acspf1jddz4', 'jwk_01m871pzr31fm9epzp224q6z03', 'next', '{"e": "AQAB", "n": "vF5YkK0dOU2xxqRDA2WEwkco-AV2D0CppPZiHdwFQb0KugRQy4OT8kccKolZ94PvpTaB04ix25EN4SuL9pBJGAYFLr_EayCRBgST2fmKvW8gNaTsv3YRdxbI6liwvGvCyC7HdpYr2JJAuik2ChOMO4OZMY-hVvWjBdT-A-p9sCv5Lk19T3UBaSNMi38L3sxn1GVaO-tKZe2-uhfs3c7iYNjeSL6f5so_iEYmDaW3CZCeuC07pKo02R1FL-VAESLc7WKnufV8FwVBk662V1YjJHOXTSU3jlTr38r16TdUP2-jM3T7lGjYX2jYMZgC4_chvV2rnt2q5K3eXBF6cyO7qw", "alg": "RS256", "kid": "jwk_01m871pzr31fm9epzp224q6z03", "kty": "RSA", "use": "sig", "key_ops": ["verify"]}', '\x010474657374004c761991c732c2f5edb517c110deaae7d3f76bae0fa40f2d420460f38f236a5a67b1b09f7d5b1f9f07731703cc9dff584cf0838c78944dfe1a9f470b4e6009ddb72537a386c74da1ecf4a13c537bbb0b1ed588cf8687391b5c70aac64655cb76a4caf13e8c606ad6924b413221f080e996f4396080d839742c5cf301285d4ae54468f438a095db8c89b430443b1a006d544271edb39ee832644f4a496a287a6a483fa2e4655c4295bda3fbc2b180cc2cbc5fd75230a9adcfbc455e8f8de50d615e984af1bcc44695b1c39cfc58c3ef8a39bee9e2af98199c08c41b9df8a89f8d4010c9ec869f2a78b5f657e34af9b84169a0100c1d1a182ef1f6c529122191f1d026ffb4188ebebdf0aa8957cdbf4fdec53781535ed7841666c85209dda2a91a801bd4fe16b7323246c196e3e2e333cc45467d7473dbdffec257eb2bbeb24fd607fd24613e1e85c48ab2a1f30e8e0ffb7dd98372f28e34506a7c6259105760ec432b7054b811bcce18f6911d18618d88c41cae7c43f65d2dbdf91f4d33891f50adbaa6d97bc8011d082d64d3521523b7b476fa11240851b2770bd98caf205e3a3e4679478d8699bfb51ce865a81355323c8db8fd5d7beb910c6c043fefc41d82c3ab10bbc3135c42dd0d086fcebc541539f07222f888365c028e643080eccbeb4d4cee7503e60f94e70d6cf0a2a0d255548cb0dd21e28c1ceb91691fdbbb451a5ff309b69f57b21d9354e596979e542d71c3e2ce7edd48a2ef8419e2a8c68bdb9fa9a9cda69ce526b56290a2af7b1c86ebbd177cdb2ad835891f0f9a404ef72e0c915e78a02ac7096d5768bd1279707b91729a1881b9fb4757f4bd6458653022613b000909dbd863807504b014d3073a0c8a3a6f2520f0428725497db6bd225a5302c08ddec26ddbdc29a9f1eef7d33b8f5a31d1a5a099cf732e7657d6d03e425e9d9792ea6aadedf6af6c75227e7d9b90cb349b4386828d71a8b9246d26a0475585ec6baa6addb49d8749a84fb401018614c53af9b113efeef4397d261fa42cbc79c2e616b3a5f45fec0ebb0cebca7c84f842399665f2f1f928e6339a740046f8d67f3439ca2aff575ca9e4e062fd45c9bfd3da6a44b40dec09fe074ed483850e430eda1b6f1b09197d2c7dd0d39693c975da2c921cb6c78fe6fb1692d4b171bb5742910950119619e095c60ac855bd64ecc3f8377e7af8ad79fc72f6055294047e2a7b3a160d20e53b82e8be329366865773cd188c37e556ac5d12d90c886ff4c5485005084650c84dc84fda78cda80d55ad1f4b262276012abe94ae409f6e9f2f3b63c792521c27062a49f2bd7515866fcdd781d792c2031da72877652ea9534ca946f1382046806d32f4046f99111bc26bfd0c533b3ce4a226d95624c5dcf7ecc5bf32ecfdaad4cde8bb75c484b85faa6fb2532701ebc320b0ae50ae616a2202508cee73929f6eb21674ae73f816f67410bc6d4bde1038f213b880be13eb1f5abee5208eeee6514a505ad8ae3825f544ccd9ba5b102d6c87c59651bbb8d13a8393c732e09412df17a455d00804a052d445c5d0c004adb3ea6996f3098451aa42951824c3ee781377143ebb1cf9337b305d0c11a44c6936396453ee904d3e8cbe425f72291657033ce051181d1423c14224c6d188225204e3178d85f57feb1b150cd897d2dc0be28d6ddd9f02bec81065a9cf0e16d33983d2143f8e2e2f13822952734f2cfae15ab506d8a42aa6b97b31548a062cfdcd0de136302cbb7281a6fdfa4f0f42ef2269759fcfd39a59318cf43d912a849426a56ce9a3f371281f9cb58a7a663b1b3d85197dad46a8f97aec61ca1a83bc2f9f2dbcf2d9362fc2177749c7508baee3a666193f', NULL, NULL, '2026-11-24 15:10:12.859286+00');

insert into totps (app_id, id, user_id, sealed_secret, sealed_recovery_codes, used_recovery_codes, verified_at, expires_at, last_used_step, tries, last_tried_at, created_at, updated_at) values
  ('app_01m871pzcze7775acspf1jddz4', 'totp_01RC', 'user_01m871pzp0et3jvbmme768y3hd', '\x01', '\x02', '{}', '2026-11-24 15:10:20.044036+00', '2026-11-24 15:10:20.044036+00', NULL, '0', NULL, '2026-11-24 15:10:20.044036+00', '2026-11-24 15:10:20.044036+00');

insert into transfer_attempts (app_id, network, hash, transfer_id, kind, ordinal, address, raw, nonce, blockhash, last_valid_block_height, valid_from_slot, max_fee, created_at, first_broadcast_started_at, accepted_at, valid_from_block) values
  ('app_01m871pzcze7775acspf1jddz4', 'eip155:1', '0x01', 'transfer_01RC00000000000000000000DONE', 'payment', '1', '0x24E1F4Dc8233D305e09634dd848B9d571ce76421', '\x02', '6', NULL, NULL, NULL, '21000', '2026-11-24 15:10:20.046235+00', NULL, NULL, NULL);

insert into unsequenced_events (app_id, seq, id, type, data, created_at) overriding system value values
  ('app_01m871pzcze7775acspf1jddz4', '7', 'evt_01RC000000000000000000EXPORTED', 'wallet.exported', '{"wallet_id" : "wallet_01m871pzg750yrawzv470wz001", "user_id" : "user_01m871pzfyc337gmhzav26mktc"}', '2026-11-24 15:10:20.04854+00');

insert into wallet_addresses (app_id, public_address, locked_at) values
  ('app_01m871pzcze7775acspf1jddz4', '0x00000000000000000000000000000000000000aa', '2026-11-24 15:10:20.038743+00');

insert into wallet_imports (app_id, id, user_id, wallet_type, sealed_private_key, expires_at) values
  ('app_01m871pzcze7775acspf1jddz4', 'import_01RC', 'user_01m871pzfyc337gmhzav26mktc', 'ethereum', '\x01', '2100-01-01 00:00:00+00');

insert into wallet_registrations (app_id, id, form, wallet_type, public_address, user_id, attaches, nonce, challenge, created_at, expires_at, spent_at) values
  ('app_01m871pzcze7775acspf1jddz4', 'registration_01RC', 'siwe', 'ethereum', '0x00000000000000000000000000000000000000aa', 'user_01m871pzfyc337gmhzav26mktc', 'true', 'nonce', 'challenge', '2026-11-24 15:10:20.037408+00', '2100-01-01 00:00:00+00', NULL);

insert into wallets (app_id, id, user_id, wallet_type, public_address, verified, is_default, is_read_only, is_imported, sealed_key, created_at, updated_at, deleted_at) values
  ('app_01m871pzcze7775acspf1jddz4', 'wallet_01m871pzg750yrawzv470wz001', 'user_01m871pzfyc337gmhzav26mktc', 'ethereum', '0x24E1F4Dc8233D305e09634dd848B9d571ce76421', 'true', 'true', 'false', 'false', '\x020474657374004c88b3bf546a1f61536e7658a94e6d65a5bb384d0d4e448033ace8d920a273b74addd448a80e96e84952aab224dc00de3968b6284f86c742df268cacfb35cdb35906a9d8d8c1743c95beec6e2cad9e940242f28021c93dd798669b1eb0e0fa96ab045f64d69e58613144881aeb52926ca92ad221aefaf9d66f74adc091dfeda1b4e1ccb290cd19b727', '2026-11-24 15:10:12.479248+00', '2026-11-24 15:10:12.479248+00', NULL),
  ('app_01m871pzcze7775acspf1jddz4', 'wallet_01m871pzp4cy7s9m3sh3r2gs5a', 'user_01m871pzp0et3jvbmme768y3hd', 'ethereum', '0x21fef33dC6b31A738C5CA10f7c88B1427A3e8CcB', 'true', 'true', 'false', 'false', '\x020474657374004ccaee9589885bf03d0d4f42920bb8fb5b40876d8d5aa3a7ed6bc6a774415797a27a6dc1430cc52aa6d54b068649c4ec9bd41a7143e7689467823b38f8607eb13ea654c79a28c1c7e3426812116d68791494212623894e8eee8a76bd801bb53227696a7dc0fa588119bcbff9832e0d6338a8e7bec8838e2ca6819ef8ba2dc2c60b076fa02fedceb44c', '2026-11-24 15:10:12.67346+00', '2026-11-24 15:10:12.67346+00', NULL);

insert into webauthn_challenges (app_id, challenge_hash, purpose, user_id, expires_at) values
  ('app_01m871pzcze7775acspf1jddz4', '\x10', 'authentication', NULL, '2100-01-01 00:00:00+00');

insert into webauthn_credentials (app_id, id, user_id, credential_id, public_key, rp_id, name, transports, sign_count, is_backup_eligible, is_backed_up, suspicious_at, last_used_at, created_at) values
  ('app_01m871pzcze7775acspf1jddz4', 'credential_01RC', 'user_01m871pzfyc337gmhzav26mktc', '\x0e', '\x0f', 'shop.example', 'Laptop', '{internal}', '0', 'true', 'true', NULL, NULL, '2026-11-24 15:10:20.0476+00');
create table webhook_deliveries_20261124 partition of webhook_deliveries for values from ('2026-11-24T00:00:00Z') to ('2026-11-25T00:00:00Z');

insert into webhook_deliveries (app_id, endpoint_id, id, event_id, event_type, position, sequenced_at, body, status, attempts, created_at, ended_at) values
  ('app_01m871pzcze7775acspf1jddz4', 'endpoint_01RC', 'whd_01RC2', 'evt_01RC', 'user.created', '1', NULL, NULL, 'failed', '[]', '2026-11-24 15:10:20.050443+00', '2026-11-24 15:10:20.050443+00');

insert into webhook_endpoints (app_id, id, url, event_types, description, is_ordered, sealed_secret, sealed_previous_secret, previous_secret_ends_at, created_at, updated_at, disabled_at, disabled_reason) values
  ('app_01m871pzcze7775acspf1jddz4', 'endpoint_01RC', 'https://shop.example/hooks', '{}', '', 'false', '\x01', NULL, NULL, '2026-11-24 15:10:20.049069+00', '2026-11-24 15:10:20.049069+00', '2026-11-24 15:10:20.049069+00', NULL);

insert into webhook_health (app_id, endpoint_id, failing_since, failures, probe_at) values
  ('app_01m871pzcze7775acspf1jddz4', 'endpoint_01RC', '2026-11-24 15:10:20.049567+00', '1', NULL);

insert into webhook_queue (app_id, endpoint_id, id, event_id, event_type, position, sequenced_at, order_key, body, tries, claims, attempts, due_at, lease, leased_until, created_at) values
  ('app_01m871pzcze7775acspf1jddz4', 'endpoint_01RC', 'whd_01RC1', 'evt_01RC', 'user.created', '1', NULL, NULL, NULL, '0', '0', '[]', '2026-11-24 15:10:20.049947+00', NULL, NULL, '2026-11-24 15:10:20.049947+00');

insert into wrong_tries (app_id, user_id, tries, locked_until) values
  ('app_01m871pzcze7775acspf1jddz4', 'user_01m871pzfyc337gmhzav26mktc', '{"2026-11-24 15:10:20.04359+00"}', NULL);

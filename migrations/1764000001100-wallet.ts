import { FirstTables } from './first-tables.js';

export class Wallet1764000001100 extends FirstTables {
  readonly tables = `
    -- key_left_at is when the key, or a transaction that it signed, was handed out: from then on the account may have transactions that this
    -- service did not make.
    -- contract_network is the network whose contract proved an external wallet: at the same address of another network another account may
    -- own the contract.
    create table wallets (
      app_id         text        not null,
      id             text        not null,
      user_id        text        not null,
      wallet_type    text        not null,
      public_address text        not null,
      verified       boolean     not null,
      is_default     boolean     not null,
      is_read_only   boolean     not null,
      is_imported    boolean     not null,
      sealed_key     bytea,
      key_left_at    timestamptz,
      contract_network text,
      created_at     timestamptz not null default now(),
      updated_at     timestamptz not null default now(),
      deleted_at     timestamptz,
      mac            bytea,
      constraint wallets_pkey primary key (app_id, id),
      constraint wallets_key_unless_read_only check (is_read_only = (sealed_key is null))
    );
    create unique index wallets_one_default on wallets (app_id, user_id, wallet_type) where is_default and deleted_at is null;
    create index wallets_of_user on wallets (app_id, user_id, id);
    -- An address belongs to one user and one wallet of an app. Addresses of different chains have different forms, so the chain is not part
    -- of the key.
    create unique index wallets_address on wallets (app_id, public_address, is_read_only) where deleted_at is null;
    -- Deposits are found by their address, before their app is known.
    create index wallets_receiving on wallets (wallet_type, public_address) where deleted_at is null;

    -- One row for each address with which a login was begun or completed in the last hour: transactions lock it.
    create table wallet_addresses (
      app_id         text        not null,
      public_address text        not null,
      locked_at      timestamptz not null,
      constraint wallet_addresses_pkey primary key (app_id, public_address)
    );
    create index wallet_addresses_end on wallet_addresses (app_id, locked_at);

    create table wallet_registrations (
      app_id         text        not null,
      id             text        not null,
      form           text        not null,
      wallet_type    text        not null,
      public_address text        not null,
      user_id        text        not null,
      attaches       boolean     not null,
      nonce          text        not null,
      challenge      text        not null,
      created_at     timestamptz not null default now(),
      expires_at     timestamptz not null,
      spent_at       timestamptz,
      constraint wallet_registrations_pkey primary key (app_id, id)
    );
    create index wallet_registrations_open on wallet_registrations (app_id, public_address, id) where spent_at is null;
    create index wallet_registrations_of_user on wallet_registrations (app_id, user_id) where attaches and spent_at is null;
    create index wallet_registrations_end on wallet_registrations (app_id, expires_at);

    create table wallet_imports (
      app_id             text        not null,
      id                 text        not null,
      user_id            text        not null,
      wallet_type        text        not null,
      sealed_private_key bytea       not null,
      expires_at         timestamptz not null,
      constraint wallet_imports_pkey primary key (app_id, id)
    );
    create index wallet_imports_of_user on wallet_imports (app_id, user_id);
    create index wallet_imports_end on wallet_imports (app_id, expires_at);

    -- One row for each key that was imported, over all apps: two imports of a key into two apps lock it. It says nothing about who has the
    -- key, the wallets do.
    create table imported_keys (
      public_address text        not null,
      wallet_type    text        not null,
      imported_at    timestamptz not null,
      constraint imported_keys_pkey primary key (public_address, wallet_type)
    );
  `;
}

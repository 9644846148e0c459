import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateTransfers1763600001100 implements MigrationInterface {
  readonly name = 'CreateTransfers1763600001100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table transfers (
        app_id         text          not null,
        id             text          not null,
        user_id        text          not null,
        status         text          not null,
        stage          text,
        source         text          not null,
        source_address text          not null,
        dest           text          not null,
        chain          text          not null,
        network        text          not null,
        currency       text          not null,
        symbol         text          not null,
        decimals       integer       not null,
        token          text,
        amount         numeric(78,0) not null,
        fee_cap        numeric(78,0) not null,
        fee            numeric(78,0),
        custom_id      text,
        notes          text          not null,
        hash           text,
        failure_code   text,
        retry_safe     boolean,
        created_at     timestamptz   not null default now(),
        updated_at     timestamptz   not null default now(),
        expires_at     timestamptz   not null,
        confirmed_at   timestamptz,
        mined_at       timestamptz,
        completed_at   timestamptz,
        cancelled_at   timestamptz,
        stuck_since    timestamptz,
        next_check_at  timestamptz,
        constraint transfers_pkey primary key (app_id, id),
        constraint transfers_status_check check (status in ('unconfirmed', 'pending', 'completed', 'failed', 'expired', 'cancelled')),
        constraint transfers_stage_check check ((status = 'pending') = (stage is not null)),
        constraint transfers_amount_check check (amount > 0)
      )`);
    await runner.query(
      `create unique index transfers_custom_id on transfers (app_id, custom_id) where custom_id is not null`,
    );
    await runner.query(`create index transfers_of_user on transfers (app_id, user_id, id)`);
    await runner.query(`create index transfers_of_wallet on transfers (app_id, source, id)`);
    await runner.query(
      `create index transfers_open on transfers (app_id, network, source_address) where status = 'pending'`,
    );
    await runner.query(
      `create index transfers_mined on transfers (app_id, network, source_address, mined_at) where mined_at is not null`,
    );
    await runner.query(`create index transfers_due on transfers (app_id, next_check_at) where status = 'pending'`);
    await runner.query(`create index transfers_overdue on transfers (app_id, expires_at) where status = 'unconfirmed'`);
    await runner.query(`
      create table transfer_attempts (
        app_id                     text          not null,
        network                    text          not null,
        hash                       text          not null,
        transfer_id                text,
        kind                       text          not null,
        ordinal                    integer       not null,
        address                    text          not null,
        raw                        bytea         not null,
        nonce                      bigint,
        blockhash                  text,
        last_valid_block_height    bigint,
        valid_from_slot            bigint,
        max_fee                    numeric(78,0) not null,
        created_at                 timestamptz   not null default now(),
        first_broadcast_started_at timestamptz,
        accepted_at                timestamptz,
        constraint transfer_attempts_pkey primary key (app_id, network, hash),
        constraint transfer_attempts_kind_check check (kind in ('payment', 'cancellation')),
        constraint transfer_attempts_transfer_fkey foreign key (app_id, transfer_id) references transfers (app_id, id)
      )`);
    await runner.query(
      `create unique index transfer_attempts_ordinal on transfer_attempts (app_id, transfer_id, ordinal)`,
    );
    await runner.query(
      `create index transfer_attempts_nonce on transfer_attempts (app_id, network, address, nonce) where nonce is not null`,
    );
    await runner.query(`
      create table chain_lanes (
        app_id     text   not null,
        network    text   not null,
        address    text   not null,
        next_nonce bigint,
        constraint chain_lanes_pkey primary key (app_id, network, address)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['chain_lanes', 'transfer_attempts', 'transfers']) await runner.query(`drop table ${table}`);
  }
}

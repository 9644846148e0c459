import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateIdempotencyKeys1763600000050 implements MigrationInterface {
  readonly name = 'CreateIdempotencyKeys1763600000050';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table idempotency_keys (
        app_id     text        not null,
        path       text        not null,
        key_hash   bytea       not null,
        body_hash  bytea       not null,
        answer     bytea,
        created_at timestamptz not null default now(),
        constraint idempotency_keys_pkey primary key (app_id, path, key_hash)
      )`);
    await runner.query(`create index idempotency_keys_age on idempotency_keys (app_id, created_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table idempotency_keys`);
  }
}

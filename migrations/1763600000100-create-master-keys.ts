import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateMasterKeys1763600000100 implements MigrationInterface {
  readonly name = 'CreateMasterKeys1763600000100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table master_keys (
        key_id      text        not null,
        check_value bytea       not null,
        created_at  timestamptz not null default now(),
        retired_at  timestamptz,
        constraint master_keys_pkey primary key (key_id)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table master_keys`);
  }
}

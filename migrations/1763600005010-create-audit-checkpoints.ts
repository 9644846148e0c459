import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateAuditCheckpoints1763600005010 implements MigrationInterface {
  readonly name = 'CreateAuditCheckpoints1763600005010';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table audit_signing_keys (
        id                 text        not null,
        public_key         text        not null,
        sealed_private_key bytea       not null,
        created_at         timestamptz not null default now(),
        constraint audit_signing_keys_pkey primary key (id)
      )`);
    await runner.query(`
      create table audit_checkpoints (
        app_id    text        not null,
        seq       bigint      not null,
        kind      text        not null,
        number    bigint      not null,
        hash      bytea       not null,
        at        timestamptz not null,
        key_id    text        not null,
        signature bytea       not null,
        constraint audit_checkpoints_pkey primary key (app_id, seq)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table audit_checkpoints`);
    await runner.query(`drop table audit_signing_keys`);
  }
}

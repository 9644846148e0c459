import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Entries of refused calls are removed after a time. A signed cut stands for each run of them, so that the chain can be verified
 * across it.
 */
export class CreateAuditCuts1763600008230 implements MigrationInterface {
  readonly name = 'CreateAuditCuts1763600008230';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table audit_cuts (
        app_id    text        not null,
        last      bigint      not null,
        first     bigint      not null,
        hash      bytea       not null,
        at        timestamptz not null,
        key_id    text        not null,
        signature bytea       not null,
        constraint audit_cuts_pkey primary key (app_id, last)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table audit_cuts`);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Refused calls of one class and network within one minute. A row leaves when its minute ends. */
export class CountRefusedCalls1763600005020 implements MigrationInterface {
  readonly name = 'CountRefusedCalls1763600005020';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table audit_refusals (
        app_id     text        not null,
        error_type text        not null,
        actor      text        not null,
        network    text        not null,
        since      timestamptz not null default now(),
        calls      integer     not null,
        written    integer     not null default 0,
        constraint audit_refusals_pkey primary key (app_id, error_type, actor, network)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table audit_refusals`);
  }
}

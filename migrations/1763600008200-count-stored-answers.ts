import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The bytes of responses that are stored by `Idempotency-Key`, by app and hour: what an app stores in a day is bounded. */
export class CountStoredAnswers1763600008200 implements MigrationInterface {
  readonly name = 'CountStoredAnswers1763600008200';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table idempotency_usage (
        app_id text        not null,
        hour   timestamptz not null,
        bytes  bigint      not null,
        constraint idempotency_usage_pkey primary key (app_id, hour)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table idempotency_usage`);
  }
}

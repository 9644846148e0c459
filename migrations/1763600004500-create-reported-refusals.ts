import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateReportedRefusals1763600004500 implements MigrationInterface {
  readonly name = 'CreateReportedRefusals1763600004500';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table reported_refusals (
        app_id  text        not null,
        key     text        not null,
        ends_at timestamptz not null,
        constraint reported_refusals_pkey primary key (app_id, key)
      )`);
    await runner.query(`create index reported_refusals_end on reported_refusals (app_id, ends_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table reported_refusals`);
  }
}

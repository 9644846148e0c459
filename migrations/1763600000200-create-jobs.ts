import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateJobs1763600000200 implements MigrationInterface {
  readonly name = 'CreateJobs1763600000200';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table jobs (
        id         text        not null,
        kind       text        not null,
        payload    bytea,
        unique_key text,
        attempt    integer     not null default 0,
        due_at     timestamptz not null default now(),
        lease      text,
        died_at    timestamptz,
        error      text,
        created_at timestamptz not null default now(),
        constraint jobs_pkey primary key (id)
      )`);
    await runner.query(`create index jobs_due on jobs (due_at) where died_at is null`);
    await runner.query(`
      create unique index jobs_unique_key on jobs (kind, unique_key)
        where unique_key is not null and lease is null and died_at is null`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table jobs`);
  }
}

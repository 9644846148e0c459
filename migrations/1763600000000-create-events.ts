import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateEvents1763600000000 implements MigrationInterface {
  readonly name = 'CreateEvents1763600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table events (
        app_id     text        not null,
        id         text        not null,
        type       text        not null,
        data       jsonb       not null,
        xid        bigint      not null default (pg_current_xact_id()::text)::bigint,
        created_at timestamptz not null default now(),
        constraint events_pkey primary key (app_id, id)
      )`);
    await runner.query(`create index events_feed on events (app_id, xid, id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table events`);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The mails and SMS of each app without their content, for operators; and the app of a job. Jobs of the release before have none
 * and are not listed. The index of jobs is built in the transaction, because the table holds only jobs that are not done.
 */
export class CreateMessages1763600007110 implements MigrationInterface {
  readonly name = 'CreateMessages1763600007110';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table messages (
        app_id text not null,
        id text not null,
        channel text not null,
        kind text not null,
        recipient text not null,
        status text not null default 'pending',
        attempts integer not null default 0,
        last_error text,
        created_at timestamptz not null default now(),
        sent_at timestamptz,
        constraint messages_pkey primary key (app_id, id),
        constraint messages_status_check check (status in ('pending', 'sent', 'failed'))
      )`);
    await runner.query(`create index messages_unsent on messages (app_id, status, id) where status <> 'sent'`);
    await runner.query(`create index messages_age on messages (app_id, created_at)`);
    await runner.query(`alter table jobs add column app_id text`);
    await runner.query(`create index jobs_of_app on jobs (app_id, id)`);
    await runner.query(`create index jobs_dead on jobs (app_id, id) where died_at is not null`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table jobs drop column app_id`);
    await runner.query(`drop table messages`);
  }
}

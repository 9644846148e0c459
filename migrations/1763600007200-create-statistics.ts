import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Counts of events by hour. The log is counted from its first event on, so events from before this migration are counted too. */
export class CreateStatistics1763600007200 implements MigrationInterface {
  readonly name = 'CreateStatistics1763600007200';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table event_statistics (
        app_id text not null,
        hour timestamptz not null,
        metric text not null,
        label text not null,
        value bigint not null,
        constraint event_statistics_pkey primary key (app_id, hour, metric, label)
      )`);
    await runner.query(`
      create table counted_events (
        app_id text not null,
        position bigint not null default 0,
        sequenced_at timestamptz not null default '-infinity',
        constraint counted_events_pkey primary key (app_id)
      )`);
    await runner.query(`
      create table message_statistics (
        app_id text not null,
        hour timestamptz not null,
        label text not null,
        value bigint not null,
        constraint message_statistics_pkey primary key (app_id, hour, label)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table event_statistics, counted_events, message_statistics`);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Positions are given again after the database was brought back to an older state. The feed of each app keeps the histories of the
 * database that it was on, each with the last position that the app had when the history began: up to it, all readers have the same.
 */
export class NameFeeds1763600008730 implements MigrationInterface {
  readonly name = 'NameFeeds1763600008730';

  async up(runner: QueryRunner): Promise<void> {
    // A start of the server gives no position again. Where a role may not read the timeline, a promoted standby is not recognised, but
    // a restored dump is: the database is another one.
    await runner.query(`
      create function feed_history() returns text language sql stable as $$
        select left(md5(regexp_replace(database_history(), '^started .*', '') || '/' ||
                        (select oid from pg_database where datname = current_database())), 12)
      $$`);
    await runner.query(`alter table event_positions add column feeds jsonb not null default '[]'`);
    // The last eight: the database is not brought back more often while events are kept.
    await runner.query(`
      create function feeds_with(feeds jsonb, history text, last_position bigint) returns jsonb language sql immutable as $$
        select case when feeds->-1->>0 = history then feeds
                    else jsonb_path_query_array(feeds || jsonb_build_array(jsonb_build_array(history, last_position)),
                                                '$[last - 7 to last]') end
      $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function feeds_with(jsonb, text, bigint)`);
    await runner.query(`alter table event_positions drop column feeds`);
    await runner.query(`drop function feed_history()`);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What the SQL of other modules may name of apps. `known_apps` includes deleted apps, whose pending payments are still observed.
 */
export class PublishApps1763600003100 implements MigrationInterface {
  readonly name = 'PublishApps1763600003100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create view live_apps as select id as app_id from apps where deleted_at is null');
    await runner.query('create view known_apps as select id as app_id from apps');
    await runner.query('create view known_connections as select app_id, id as connection_id from oauth_connections');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop view known_connections, known_apps, live_apps');
  }
}

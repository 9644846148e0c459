import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a module has registered in `ModuleSettings`, for its SQL. */
export class PublishSettingsOfApps1763600003400 implements MigrationInterface {
  readonly name = 'PublishSettingsOfApps1763600003400';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create view app_settings as select id as app_id, settings from apps where deleted_at is null');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop view app_settings');
  }
}

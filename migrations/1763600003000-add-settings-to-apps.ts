import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddSettingsToApps1763600003000 implements MigrationInterface {
  readonly name = 'AddSettingsToApps1763600003000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table apps add column settings jsonb not null default '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table apps drop column settings`);
  }
}

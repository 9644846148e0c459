import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddAssetsToApps1763600001110 implements MigrationInterface {
  readonly name = 'AddAssetsToApps1763600001110';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table apps
        add column assets          jsonb not null default '[]',
        add column transfer_policy jsonb not null default '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table apps drop column transfer_policy, drop column assets`);
  }
}

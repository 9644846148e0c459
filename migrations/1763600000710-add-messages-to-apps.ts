import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddMessagesToApps1763600000710 implements MigrationInterface {
  readonly name = 'AddMessagesToApps1763600000710';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table apps add column messages jsonb not null default '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table apps drop column messages`);
  }
}

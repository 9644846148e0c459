import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An endpoint gets one test event a second. */
export class KeepTimeOfWebhookTests1763600008720 implements MigrationInterface {
  readonly name = 'KeepTimeOfWebhookTests1763600008720';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table webhook_endpoints add column tested_at timestamptz`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table webhook_endpoints drop column tested_at`);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddSigningPolicyToApps1763600001300 implements MigrationInterface {
  readonly name = 'AddSigningPolicyToApps1763600001300';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table apps add column signing_policy jsonb not null default '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table apps drop column signing_policy`);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keys that exist, and those that replicas of the release before make, may do everything: they are `owner`. */
export class AddRolesToManagementKeys1763600007000 implements MigrationInterface {
  readonly name = 'AddRolesToManagementKeys1763600007000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table management_keys
        add column role text not null default 'owner'
          constraint management_keys_role_check check (role in ('owner', 'operator', 'auditor')),
        add column expires_at timestamptz`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table management_keys drop column role, drop column expires_at`);
  }
}

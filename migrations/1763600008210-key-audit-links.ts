import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Each link of an audit chain gets a MAC. Existing links stay without one. Replicas of the previous release still add entries, and the
 * constraint keeps them from chaining any: their links would have no MAC. The entries wait for a replica of this release.
 */
export class KeyAuditLinks1763600008210 implements MigrationInterface {
  readonly name = 'KeyAuditLinks1763600008210';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table audit_log add column mac bytea`);
    await runner.query(`
      alter table audit_log add constraint audit_log_keyed check (number is null or mac is not null) not valid`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table audit_log drop constraint audit_log_keyed`);
    await runner.query(`alter table audit_log drop column mac`);
  }
}

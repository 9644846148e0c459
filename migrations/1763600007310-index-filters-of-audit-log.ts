import type { MigrationInterface, QueryRunner } from 'typeorm';

const INDEXES = {
  audit_log_of_actor: '(app_id, actor, id)',
  // Refused calls have one action, so this one serves the filter for them too.
  audit_log_of_action: '(app_id, action, id)',
  audit_log_of_changes: `(app_id, id) where outcome = 'ok'`,
};

/** Lists the entries of an actor, of an action and of an outcome, newest first. Built without locking the table, so outside a transaction. */
export class IndexFiltersOfAuditLog1763600007310 implements MigrationInterface {
  readonly name = 'IndexFiltersOfAuditLog1763600007310';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const [name, columns] of Object.entries(INDEXES)) {
      const [built] = await runner.query(`select indisvalid from pg_index where indexrelid = to_regclass('${name}')`);
      // Built by a start that was interrupted at a later one. An interrupted build leaves an invalid index.
      if (built?.indisvalid) continue;
      await runner.query(`drop index concurrently if exists ${name}`);
      await runner.query(`create index concurrently ${name} on audit_log ${columns}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of Object.keys(INDEXES)) await runner.query(`drop index ${name}`);
  }
}

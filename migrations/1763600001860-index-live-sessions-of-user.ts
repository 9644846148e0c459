import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Finds live sessions of a user without reading expired ones. Replaces the previous index, because both would match the
 * same statements. Built without locking the table, so outside a transaction.
 */
export class IndexLiveSessionsOfUser1763600001860 implements MigrationInterface {
  readonly name = 'IndexLiveSessionsOfUser1763600001860';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await replace(runner, 'sessions_of_user', 'sessions_live_of_user', 'expires_at');
  }

  async down(runner: QueryRunner): Promise<void> {
    await replace(runner, 'sessions_live_of_user', 'sessions_of_user', 'id');
  }
}

async function replace(runner: QueryRunner, before: string, after: string, column: string): Promise<void> {
  // An interrupted build leaves an invalid index.
  await runner.query(`drop index concurrently if exists ${after}`);
  await runner.query(
    `create index concurrently ${after} on sessions (app_id, user_id, ${column}) where revoked_at is null`,
  );
  await runner.query(`drop index concurrently if exists ${before}`);
}

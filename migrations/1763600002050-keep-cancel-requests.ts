import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the time at which the cancellation of a transfer was requested that may still be executed. */
export class KeepCancelRequests1763600002050 implements MigrationInterface {
  readonly name = 'KeepCancelRequests1763600002050';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table transfers add column cancel_requested_at timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table transfers drop column cancel_requested_at');
  }
}

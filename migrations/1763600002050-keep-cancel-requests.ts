import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds when the cancellation was requested of a transfer that may still be carried out. */
export class KeepCancelRequests1763600002050 implements MigrationInterface {
  readonly name = 'KeepCancelRequests1763600002050';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table transfers add column cancel_requested_at timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table transfers drop column cancel_requested_at');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the reason why a transfer is stuck, the progress of its proof, and what the proof needs from the signing. */
export class KeepProofsOfTransfers1763600002000 implements MigrationInterface {
  readonly name = 'KeepProofsOfTransfers1763600002000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'alter table transfers add column stuck_reason text, add column proof_progress jsonb, add column nonce_used_by text',
    );
    await runner.query('alter table transfer_attempts add column valid_from_block bigint');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table transfer_attempts drop column valid_from_block');
    await runner.query(
      'alter table transfers drop column stuck_reason, drop column proof_progress, drop column nonce_used_by',
    );
  }
}

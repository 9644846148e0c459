import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A final block at the signing, which ties the proof of an attempt's end to its chain. */
export class KeepFinalBlocksOfAttempts1763600008610 implements MigrationInterface {
  readonly name = 'KeepFinalBlocksOfAttempts1763600008610';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table transfer_attempts add column final_block bigint, add column final_block_hash text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table transfer_attempts drop column final_block, drop column final_block_hash`);
  }
}

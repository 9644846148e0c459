import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When a completed transfer was first sent again, after its chain had lost a block that was final. */
export class KeepWhenCompletedTransfersWereSentAgain1763600008620 implements MigrationInterface {
  readonly name = 'KeepWhenCompletedTransfersWereSentAgain1763600008620';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table transfers add column sent_again_at timestamptz`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table transfers drop column sent_again_at`);
  }
}

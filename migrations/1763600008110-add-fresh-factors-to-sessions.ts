import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The keys of the factors that make a session fresh when they are proved. A session from before has none until one is proved again. */
export class AddFreshFactorsToSessions1763600008110 implements MigrationInterface {
  readonly name = 'AddFreshFactorsToSessions1763600008110';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table sessions add column fresh_factors text[]`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table sessions drop column fresh_factors`);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the order in which due jobs run, so that the jobs of one app cannot delay those of another. Jobs that the previous version
 * stores take the default. The index is built inside the transaction because the table holds only jobs that are not done.
 */
export class RankJobs1763600002100 implements MigrationInterface {
  readonly name = 'RankJobs1763600002100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table jobs add column rank_at timestamptz not null default now()');
    await runner.query('create index jobs_rank on jobs (rank_at) where died_at is null');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table jobs drop column rank_at');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES = ['emails', 'phone_numbers'];

/**
 * Stores until when an unverified address may stay on its account; null if it is verified, or the only address of its user.
 * Addresses from before get the full time from now on.
 */
export class LimitUnverifiedAddresses1763600008020 implements MigrationInterface {
  readonly name = 'LimitUnverifiedAddresses1763600008020';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) {
      await runner.query(`alter table ${table} add column unverified_until timestamptz`);
      await runner.query(`
        create index ${table}_unverified on ${table} (app_id, unverified_until) where unverified_until is not null`);
    }
    for (const table of TABLES) {
      await runner.query(`
        update ${table} c set unverified_until = now() + interval '7 days'
         where verified_at is null and (
           select (select count(*) from emails e where e.app_id = c.app_id and e.user_id = c.user_id)
                + (select count(*) from phone_numbers p where p.app_id = c.app_id and p.user_id = c.user_id)) > 1`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) await runner.query(`alter table ${table} drop column unverified_until`);
  }
}

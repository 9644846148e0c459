import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keeps an app from being deleted until the transaction ends; false if it is unknown or deleted. Any number of transactions hold it. */
export class PublishHoldOfApps1763600006000 implements MigrationInterface {
  readonly name = 'PublishHoldOfApps1763600006000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function hold_app(app text) returns boolean language plpgsql as $$ begin
        perform from apps where id = app and deleted_at is null for key share; return found; end $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function hold_app');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * One row for each key that was imported, over all apps: two imports of a key into two apps lock it. It says nothing about who
 * has the key, the wallets do.
 */
export class CreateImportedKeys1763600008700 implements MigrationInterface {
  readonly name = 'CreateImportedKeys1763600008700';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table imported_keys (
        public_address text        not null,
        wallet_type    text        not null,
        imported_at    timestamptz not null,
        constraint imported_keys_pkey primary key (public_address, wallet_type)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table imported_keys`);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Records when the key of a wallet, or a transaction that it signed, was handed out: from then on its account may have
 * transactions that this service did not make. Earlier ones are found in the events as far as these are kept.
 */
export class RecordKeysThatLeft1763600008500 implements MigrationInterface {
  readonly name = 'RecordKeysThatLeft1763600008500';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table wallets add column key_left_at timestamptz');
    await runner.query(`
      update wallets w set key_left_at = now()
        from (select distinct app_id, data->>'wallet_id' as wallet_id from events
               where type in ('wallet.exported', 'transaction.signed')) handed_out
       where w.app_id = handed_out.app_id and w.id = handed_out.wallet_id`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table wallets drop column key_left_at');
  }
}

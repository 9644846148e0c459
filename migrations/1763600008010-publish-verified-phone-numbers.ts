import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The SQL of other modules may ask whether an address is verified, of both kinds. */
export class PublishVerifiedPhoneNumbers1763600008010 implements MigrationInterface {
  readonly name = 'PublishVerifiedPhoneNumbers1763600008010';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create view verified_phone_numbers as
      select app_id, id as phone_number_id, user_id from phone_numbers where verified_at is not null`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop view verified_phone_numbers');
  }
}

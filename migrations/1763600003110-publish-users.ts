import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATE = `case when deactivated_at is null then 'active' else 'inactive' end`;
const PARAMETERS = '(app text, owner text) returns text language plpgsql as $$ declare state text; begin';
const FIND = `select ${STATE} into state from users where app_id = app and id = owner and deleted_at is null`;
const RETURN = `; return coalesce(state, 'unknown'); end $$`;

/**
 * What the SQL of other modules may name of users. A function locks a live user until the transaction ends and returns its state,
 * or `unknown`. It saves a statement, and only identity chooses the strength: any number of transactions hold a user, one at a
 * time holds it for a login, and `lock_user` excludes all of them.
 */
export class PublishUsers1763600003110 implements MigrationInterface {
  readonly name = 'PublishUsers1763600003110';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `create view live_users as select app_id, id as user_id, ${STATE} as state from users where deleted_at is null`,
    );
    await runner.query(
      'create view verified_emails as select app_id, id as email_id, user_id from emails where verified_at is not null',
    );
    await runner.query(
      'create view linked_identities as select app_id, user_id, connection_id from provider_identities',
    );
    await runner.query(`create function hold_user ${PARAMETERS} ${FIND} for key share ${RETURN}`);
    await runner.query(`create function hold_user_for_login ${PARAMETERS} ${FIND} for no key update ${RETURN}`);
    await runner.query(`create function lock_user ${PARAMETERS} ${FIND} for update ${RETURN}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function lock_user, hold_user_for_login, hold_user');
    await runner.query('drop view linked_identities, verified_emails, live_users');
  }
}

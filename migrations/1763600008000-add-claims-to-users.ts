import type { MigrationInterface, QueryRunner } from 'typeorm';

const PARAMETERS = '(app text, owner text) returns text language plpgsql as $$ declare state text; begin';
const FIND = `
  select case when deactivated_at is null then 'active' else 'inactive' end into state
    from users where app_id = app and id = owner and deleted_at is null for no key update`;
const RETURN = `; return coalesce(state, 'unknown'); end $$`;

/**
 * Stores whether an account passes to the person who proves its address: `open` while nothing was ever made or set on it, `closed`
 * from then on, `taken` once it has passed. Nothing proves that an account from before, or one that the previous release creates, is
 * empty, so these are closed. A session closes the account of its user in the statement that starts it.
 */
export class AddClaimsToUsers1763600008000 implements MigrationInterface {
  readonly name = 'AddClaimsToUsers1763600008000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table users add column claim text not null default 'closed'`);
    await runner.query(`
      create or replace view live_users as
      select app_id, id as user_id, case when deactivated_at is null then 'active' else 'inactive' end as state,
             claim = 'open' as is_open
        from users where deleted_at is null`);
    await runner.query(`
      create or replace function hold_user_for_login ${PARAMETERS} ${FIND};
        update users set claim = 'closed' where app_id = app and id = owner and claim = 'open' ${RETURN}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`create or replace function hold_user_for_login ${PARAMETERS} ${FIND} ${RETURN}`);
    await runner.query('drop view live_users');
    await runner.query(`
      create view live_users as
      select app_id, id as user_id, case when deactivated_at is null then 'active' else 'inactive' end as state
        from users where deleted_at is null`);
    await runner.query('alter table users drop column claim');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Ends the live sessions of a user except the newest `kept` ones, and writes their events. A function, because its
 * statement sees what was committed while its caller waited for the user's lock.
 */
export class RevokeSessionsInOneStatement1763600001870 implements MigrationInterface {
  readonly name = 'RevokeSessionsInOneStatement1763600001870';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function revoke_sessions(app text, owner text, kept integer, event_block text) returns void language plpgsql as $$
      begin
        with surplus as (
          select id from sessions
           where app_id = app and user_id = owner and revoked_at is null and expires_at > now()
           order by id desc offset kept
        ), ended as (
          update sessions s set revoked_at = now(), updated_at = now()
            from surplus
           where s.app_id = app and s.id = surplus.id and s.revoked_at is null
          returning s.id
        )
        insert into events (app_id, id, type, data)
        select app, event_block || lpad(to_hex(row_number() over (order by id)), 6, '0'), 'session.revoked',
               jsonb_build_object('session_id', id, 'user_id', owner)
          from ended;
      end $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function revoke_sessions(text, text, integer, text)`);
  }
}

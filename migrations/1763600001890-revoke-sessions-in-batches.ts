import type { MigrationInterface, QueryRunner } from 'typeorm';

const LIVE = 'app_id = app and user_id = owner and revoked_at is null and expires_at > now()';

/**
 * Ends at most `at_most` live sessions of a user, the oldest first, except the newest `kept` ones, and returns their
 * number. A caller that wants all of them repeats it: one statement might exceed the timeout. Replicas of the previous
 * release call it with four parameters.
 */
export class RevokeSessionsInBatches1763600001890 implements MigrationInterface {
  readonly name = 'RevokeSessionsInBatches1763600001890';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function revoke_sessions(app text, owner text, kept integer, at_most integer, event_block text) returns integer language plpgsql as $$
      declare
        last_ended text;
        count_ended integer;
      begin
        select max(id) into last_ended
          from (select id
                  from (select id, row_number() over (order by id desc) as place from sessions where ${LIVE}) live
                 where place > kept order by id limit at_most) surplus;
        if last_ended is null then return 0; end if;
        with ended as (
          update sessions set revoked_at = now(), updated_at = now() where ${LIVE} and id <= last_ended returning id
        )
        insert into events (app_id, id, type, data)
        select app, event_block || lpad(to_hex(row_number() over (order by id)), 6, '0'), 'session.revoked',
               jsonb_build_object('session_id', id, 'user_id', owner)
          from ended;
        get diagnostics count_ended = row_count;
        return count_ended;
      end $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function revoke_sessions(text, text, integer, integer, text)');
  }
}

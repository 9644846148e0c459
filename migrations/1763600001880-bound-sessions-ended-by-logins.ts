import type { MigrationInterface, QueryRunner } from 'typeorm';

const LIVE = 'app_id = app and user_id = owner and revoked_at is null and expires_at > now()';

const revokeSessions = (atMost: string): string => `
  create or replace function revoke_sessions(app text, owner text, kept integer, event_block text) returns void language plpgsql as $$
  declare
    last_ended text;
  begin
    select max(id) into last_ended
      from (select id
              from (select id, row_number() over (order by id desc) as place from sessions where ${LIVE}) live
             where place > kept order by id ${atMost}) surplus;
    if last_ended is null then return; end if;
    with ended as (
      update sessions set revoked_at = now(), updated_at = now() where ${LIVE} and id <= last_ended returning id
    )
    insert into events (app_id, id, type, data)
    select app, event_block || lpad(to_hex(row_number() over (order by id)), 6, '0'), 'session.revoked',
           jsonb_build_object('session_id', id, 'user_id', owner)
      from ended;
  end $$`;

/**
 * A login ends at most 1,000 surplus sessions; otherwise users with many sessions from before the limit could not log
 * in within the statement timeout. Later logins end the rest. One index finds the rows; a join's plan would depend on
 * statistics that lag behind.
 */
export class BoundSessionsEndedByLogins1763600001880 implements MigrationInterface {
  readonly name = 'BoundSessionsEndedByLogins1763600001880';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(revokeSessions('limit case when kept > 0 then 1000 end'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(revokeSessions(''));
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The sessions of browsers that signed in with a management key. */
export class CreateManagementSessions1763600007010 implements MigrationInterface {
  readonly name = 'CreateManagementSessions1763600007010';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table management_sessions (
        token_hash bytea not null,
        key_id text not null,
        created_at timestamptz not null default now(),
        expires_at timestamptz not null,
        constraint management_sessions_pkey primary key (token_hash),
        constraint management_sessions_key_fkey foreign key (key_id) references management_keys (id)
      )`);
    await runner.query(`create index management_sessions_of_key on management_sessions (key_id)`);
    await runner.query(`create index management_sessions_end on management_sessions (expires_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table management_sessions`);
  }
}

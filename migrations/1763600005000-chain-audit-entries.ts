import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A hash chain for each app, and one for entries that name no app (`app_id` is then empty). Existing entries have no number: the
 * sequencer chains them once, like new ones. Replicas of the previous release insert entries without the new columns.
 */
export class ChainAuditEntries1763600005000 implements MigrationInterface {
  readonly name = 'ChainAuditEntries1763600005000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table audit_log
        add column outcome       text    not null default 'ok',
        add column error_type    text,
        add column calls         integer not null default 1,
        add column ip_commitment bytea,
        add column number        bigint,
        add column chained_at    timestamptz,
        add column hash          bytea`);
    await runner.query(`create unique index audit_log_chained on audit_log (app_id, number)`);
    await runner.query(`create index audit_log_unchained on audit_log (app_id, id) where number is null`);
    await runner.query(`
      create table audit_personal_data (
        app_id   text  not null,
        entry_id text  not null,
        salt     bytea not null,
        ip       text  not null,
        constraint audit_personal_data_pkey primary key (app_id, entry_id)
      )`);
    await runner.query(`
      create table audit_chains (
        app_id          text        not null,
        last_number     bigint      not null default 0,
        last_hash       bytea       not null,
        last_checkpoint bigint      not null default 0,
        hour_number     bigint      not null default 0,
        hour_at         timestamptz not null default '-infinity',
        day_number      bigint      not null default 0,
        day_at          timestamptz not null default '-infinity',
        constraint audit_chains_pkey primary key (app_id)
      ) with (fillfactor = 70)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table audit_chains`);
    await runner.query(`drop table audit_personal_data`);
    await runner.query(`drop index audit_log_unchained`);
    await runner.query(`drop index audit_log_chained`);
    await runner.query(`
      alter table audit_log drop column outcome, drop column error_type, drop column calls, drop column ip_commitment,
        drop column number, drop column chained_at, drop column hash`);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * One signed head of the service names the ends of all audit chains, and checkpoints name the head and their predecessor. The constraint
 * keeps replicas of the previous release from adding checkpoints that name neither.
 */
export class SignAuditHeads1763600008220 implements MigrationInterface {
  readonly name = 'SignAuditHeads1763600008220';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table audit_heads (
        seq       bigint      not null,
        at        timestamptz not null,
        chains    bigint      not null,
        entries   bigint      not null,
        digest    bytea       not null,
        previous  bytea       not null,
        key_id    text        not null,
        signature bytea       not null,
        ends      text,
        constraint audit_heads_pkey primary key (seq)
      )`);
    await runner.query(`
      alter table audit_checkpoints add column head bigint, add column previous bytea, alter column kind drop not null`);
    await runner.query(`
      alter table audit_checkpoints add constraint audit_checkpoints_named
        check (kind is null and head is not null and previous is not null) not valid`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`delete from audit_checkpoints where kind is null`);
    await runner.query(`
      alter table audit_checkpoints drop constraint audit_checkpoints_named, drop column head, drop column previous,
        alter column kind set not null`);
    await runner.query(`drop table audit_heads`);
  }
}

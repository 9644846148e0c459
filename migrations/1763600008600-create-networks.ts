import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A block by which a network is known, stored when it is first used: chain ids repeat. */
export class CreateNetworks1763600008600 implements MigrationInterface {
  readonly name = 'CreateNetworks1763600008600';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table networks (
        network       text        not null,
        block_number  bigint      not null,
        block_hash    text        not null,
        first_used_at timestamptz not null default now(),
        constraint networks_pkey primary key (network)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table networks`);
  }
}

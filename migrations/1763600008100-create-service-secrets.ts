import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The service makes its secret at the next start, because a migration runs without master keys. */
export class CreateServiceSecrets1763600008100 implements MigrationInterface {
  readonly name = 'CreateServiceSecrets1763600008100';
  /** The previous release does not recognise the hashes that the service makes under the secret. */
  readonly contracts = true;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table service_secrets (
        id            text        not null,
        sealed_secret bytea       not null,
        created_at    timestamptz not null default now(),
        constraint service_secrets_pkey primary key (id)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table service_secrets`);
  }
}

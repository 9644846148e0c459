import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddEmailDomainsToOauthConnections1763600008300 implements MigrationInterface {
  readonly name = 'AddEmailDomainsToOauthConnections1763600008300';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table oauth_connections add column email_domains text[] not null default '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table oauth_connections drop column email_domains`);
  }
}

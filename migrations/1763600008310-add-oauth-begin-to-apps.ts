import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddOauthBeginToApps1763600008310 implements MigrationInterface {
  readonly name = 'AddOauthBeginToApps1763600008310';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table apps add column oauth_begin text not null default 'any'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table apps drop column oauth_begin`);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

export class TellBoundAndLinkingLoginTickets1763600008320 implements MigrationInterface {
  readonly name = 'TellBoundAndLinkingLoginTickets1763600008320';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table login_tickets
        add column is_browser_bound boolean not null default false,
        alter column provider_identity_id drop not null`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `alter table login_tickets drop column is_browser_bound, alter column provider_identity_id set not null`,
    );
  }
}

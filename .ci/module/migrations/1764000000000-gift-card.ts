import type { MigrationInterface, QueryRunner } from 'typeorm';

export class GiftCard1764000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table gift_cards (
        app_id      text        not null,
        id          text        not null,
        user_id     text        not null,
        name        text        not null,
        state       text        not null,
        created_at  timestamptz not null,
        redeemed_at timestamptz,
        constraint gift_cards_pkey primary key (app_id, id),
        constraint gift_cards_state_check check (state in ('open', 'redeemed'))
      );
      create index gift_cards_of_user on gift_cards (app_id, user_id)
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table gift_cards');
  }
}

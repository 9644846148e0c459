import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateWebauthnDecoyShapes1763600008330 implements MigrationInterface {
  readonly name = 'CreateWebauthnDecoyShapes1763600008330';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table webauthn_decoy_shapes (
        app_id  text    not null,
        rp_id   text    not null,
        shapes  jsonb   not null,
        sampled integer not null,
        constraint webauthn_decoy_shapes_pkey primary key (app_id, rp_id)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table webauthn_decoy_shapes`);
  }
}

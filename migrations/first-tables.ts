import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the tables of one module or layer as the first release has them. */
export abstract class FirstTables implements MigrationInterface {
  abstract readonly tables: string;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(this.tables);
  }

  async down(runner: QueryRunner): Promise<void> {
    const names = [...this.tables.matchAll(/^ *create table (\w+)/gm)].map(([, name]) => name);
    await runner.query(`drop table ${names.toReversed().join(', ')}`);
  }
}

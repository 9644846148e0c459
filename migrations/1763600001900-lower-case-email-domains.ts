import type { MigrationInterface, QueryRunner } from 'typeorm';

export class LowerCaseEmailDomains1763600001900 implements MigrationInterface {
  readonly name = 'LowerCaseEmailDomains1763600001900';

  async up(runner: QueryRunner): Promise<void> {
    // The canonical form now has a lower-case domain. A local part holds no @.
    await runner.query(`
      update emails set text = split_part(text, '@', 1) || '@' || split_part(canonical, '@', 2)
       where split_part(text, '@', 2) <> split_part(canonical, '@', 2)`);
  }

  async down(): Promise<void> {
    // The original spelling of the domain is not stored; it is the same address.
  }
}

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');
/** Anything that a statement of the previous release may name. An index may go: no statement names it. */
const REMOVES =
  /\bdrop\s+(table|column|function|view|type)\b|\brename\s+column\b|\balter\s+(table|function|view)\s+\S+\s+rename\b/i;
/** In a migration that removes something on purpose. A version that does not know it refuses to start on the database. */
const DECLARES = /\breadonly removes = true;/;

/** The migrations after the first release, by file name. The first ones create tables only. */
const LATER = readdirSync(join(ROOT, 'migrations'))
  .filter((file) => /^\d+-.+\.ts$/.test(file))
  .map((file) => ({ file, source: readFileSync(join(ROOT, 'migrations', file), 'utf8') }))
  .filter(({ source }) => !source.includes('extends FirstTables'));

/** The files that were changed since the last tag; none before the first release. */
function changedSinceLastRelease(): string[] {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, stdio: 'pipe' }).toString();
  try {
    return git('diff', '--name-only', git('describe', '--tags', '--abbrev=0').trim()).split('\n');
  } catch {
    return [];
  }
}

/** Replicas of the previous release work during an update, so what only they use leaves the schema one release later. */
describe('a migration', () => {
  const removes = (source: string): boolean => REMOVES.test(source.split('async down(')[0]!) && !DECLARES.test(source);

  it('keeps everything that the previous release may use, or declares that it does not', () => {
    expect(LATER.filter(({ source }) => removes(source)).map(({ file }) => file)).toEqual([]);
  });

  it('that removes something is recognised', () => {
    expect(removes('async up() { `drop function lock_user(text)` } async down() {}')).toBe(true);
    expect(removes('async up() { `alter table a rename to b` } async down() {}')).toBe(true);
    expect(removes('readonly removes = true; async up() { `drop function lock_user(text)` }')).toBe(false);
    expect(removes('async up() { `create table a ()` } async down() { `drop table a` }')).toBe(false);
  });
});

describe('a release that changes a SQL function or view', () => {
  const lacksMigration = (changed: readonly string[]): boolean =>
    changed.some((file) => /\/sql\/\w+\.sql$/.test(file)) && !changed.some((file) => /^migrations\/\d+-/.test(file));

  // A replica of the previous release that starts later knows by the migration that the text is newer than its own.
  it('has a migration too', () => {
    expect(lacksMigration(changedSinceLastRelease())).toBe(false);
  });

  it('is recognised when it has none', () => {
    const changed = 'src/modules/identity/infrastructure/sql/lock_user.sql';
    expect(lacksMigration([changed, 'migrations/index.ts'])).toBe(true);
    expect(lacksMigration([changed, 'migrations/1765000000000-identity-lock.ts'])).toBe(false);
    expect(lacksMigration(['src/main.ts'])).toBe(false);
  });
});

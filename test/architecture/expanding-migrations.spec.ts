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

/** Changes of a table with rows that lock it until all of them are read or written, each with a change that does not. */
const LOCKING: readonly (readonly [name: string, pattern: RegExp, instead: string])[] = [
  [
    'an index',
    /\bcreate (?:unique )?index (?!concurrently\b)(?:if not exists )?\w+ on (?:only )?(?<table>\w+)/gi,
    '`create index concurrently`, in a migration with `transaction = false`',
  ],
  [
    'another type',
    /\balter table (?:if exists )?(?<table>\w+)(?:(?!;)[^])*?\balter (?:column )?\w+ (?:set data )?type\b/gi,
    'a new column, which the service fills',
  ],
  [
    'not null',
    /\balter table (?:if exists )?(?<table>\w+)(?:(?!;)[^])*?\bset not null\b/gi,
    'a constraint `check (… is not null) not valid`, which a later migration validates',
  ],
  [
    'a constraint that is checked at once',
    /\balter table (?:if exists )?(?<table>\w+)(?:(?!;)[^])*?\badd constraint (?:(?!\bnot valid\b|, *(?:add|alter|drop)\b|;)[^])*(?:;|, *(?:add|alter|drop)\b|$)/gi,
    '`not valid`, and `validate constraint` in a later migration',
  ],
  [
    'a default that differs between rows',
    /\balter table (?:if exists )?(?<table>\w+)(?:(?!;)[^])*?\badd (?:column )?(?:if not exists )?\w+ [^,;]*\bdefault [^,;]*\b(?:random|clock_timestamp|gen_random_uuid|uuid\w*|nextval|timeofday)\s*\(/gi,
    'a column that may be null, which the service fills',
  ],
];

/** The changes of tables with rows by the texts of `up` that lock them for long. The tables that it creates have none. */
function lockingChanges(source: string): string[] {
  const up = source.split('async down(')[0]!.replaceAll(/\/\*[^]*?\*\/|^ *\/\/.*$/gm, '');
  const created = new Set(Array.from(up.matchAll(/\bcreate table (?:if not exists )?(\w+)/gi), ([, name]) => name));
  return [...up.matchAll(/(?<quote>[`'"])(?<text>[^]*?)\k<quote>/g)].flatMap(({ groups }) =>
    LOCKING.flatMap(([name, pattern, instead]) =>
      [...groups!['text']!.matchAll(pattern)]
        .map((found) => found.groups!['table']!)
        .filter((table) => !created.has(table))
        .map((table) => `${name} of ${table}: use ${instead}`),
    ),
  );
}

describe('a migration of a table with rows', () => {
  it('does not lock it while it reads or writes all of them', () => {
    expect(LATER.flatMap(({ file, source }) => lockingChanges(source).map((each) => `${file}: ${each}`))).toEqual([]);
  });

  it.each([
    ['create index a_b on a (b)', 'an index of a'],
    ['create unique index if not exists a_b on a (b)', 'an index of a'],
    ['alter table a add column c text, alter column b type bigint', 'another type of a'],
    ['alter table a alter b set not null', 'not null of a'],
    ['alter table a add constraint a_c check (b > 0)', 'a constraint that is checked at once of a'],
    [
      'alter table a add constraint a_c check (b in (1, 2)), add column d text',
      'a constraint that is checked at once of a',
    ],
    ['alter table a add column b uuid not null default gen_random_uuid()', 'a default that differs between rows of a'],
  ])('is recognised when it locks it: %s', (sql, expected) => {
    const found = lockingChanges(`async up() { await runner.query(\`${sql}\`) }`);
    expect(found.map((each) => each.split(':')[0])).toEqual([expected]);
  });

  it.each([
    'create index concurrently if not exists a_b on a (b)',
    'create table a (b text); create index a_b on a (b)',
    'alter table a add constraint a_c check (b > 0) not valid',
    'alter table a add constraint a_c check (b in (1, 2)) not valid, add column d text',
    `alter table a add column b integer not null default 0, add column c timestamptz default now()`,
    'alter table a validate constraint a_c',
  ])('is left alone when it does not: %s', (sql) => {
    expect(lockingChanges(`async up() { await runner.query(\`${sql}\`) }`)).toEqual([]);
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

import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import ts from 'typescript';

// eslint-disable-next-line @typescript-eslint/no-require-imports -- dependency-cruiser reads the same file, as CommonJS
const { PUBLISHED, READS } = require('../../.module-borders.cjs') as Record<
  'PUBLISHED' | 'READS',
  Record<string, string[]>
>;

const project = join(__dirname, '../..');
const filesUnder = (directory: string, extension = '.ts'): string[] =>
  readdirSync(join(project, directory), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(extension))
    .map((entry) => relative(project, join(entry.parentPath, entry.name)).split(sep).join('/'));
const textOf = (file: string): string => readFileSync(join(project, file), 'utf8');

/** The part of src that a file belongs to: a module's name, or a layer such as `services`. */
const partOf = (file: string): string => /^src\/modules\/([^/]+)\//.exec(file)?.[1] ?? file.split('/')[1]!;

const parts = [...new Set(filesUnder('src').map(partOf))];

/** The part after which a migration is named, such as `magic-link` for `…-magic-link-add-note.ts`. */
function partOfMigration(file: string): string | undefined {
  const name = basename(file, '.ts').replace(/^\d+-/, '');
  const named = parts.filter((part) => `${name}-`.startsWith(`${part}-`));
  return named.toSorted((a, b) => b.length - a.length)[0];
}

const migrations = filesUnder('migrations').filter((file) => /\/\d+-/.test(file));

/** The part that owns each table, by the migration that creates it, and each published view or function, by PUBLISHED. */
function ownersOfNames(): Map<string, string> {
  const owners = new Map<string, string>();
  for (const file of migrations)
    for (const table of namesIn(textOf(file), /\bcreate table (\w+)/gi)) owners.set(table, partOfMigration(file)!);
  for (const [module, names] of Object.entries(PUBLISHED)) for (const name of names) owners.set(name, module);
  return owners;
}

/** Every string and template of a file, with the constants of the file inserted where a template names them. */
function literalsOf(file: string, text: string): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const constants = new Map<string, ts.Node>();
  const found: string[] = [];
  const textIn = (node: ts.Node, within: readonly ts.Node[] = []): string => {
    if (ts.isStringLiteralLike(node)) return node.text;
    const constant = ts.isIdentifier(node) ? constants.get(node.text) : undefined;
    if (constant && !within.includes(constant)) return textIn(constant, [...within, constant]);
    if (!ts.isTemplateExpression(node)) return '…';
    const spans = node.templateSpans.map(({ expression, literal }) => textIn(expression, within) + literal.text);
    return node.head.text + spans.join('');
  };
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer)
      constants.set(node.name.text, node.initializer);
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
      const isTable = ts.isPropertyAssignment(node.parent) && node.parent.name.getText() === 'table';
      found.push(isTable ? `from ${textIn(node)}` : textIn(node));
    }
    if (!ts.isImportDeclaration(node)) ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

interface Uses {
  readonly reads: Set<string>;
  readonly writes: Set<string>;
  readonly locks: Set<string>;
}

const CALLED = /\b(\w+)\s*\(/g;
const SELECTED = /\b(?:from|join|into|update|using)\s+(?:only\s+)?(\w+)/gi;
const LOCK = /\bfor (?:no key )?(?:update|share)\b|\bfor key share\b/gi;
const namesIn = (sql: string, pattern: RegExp): string[] => [...sql.matchAll(pattern)].map(([, name]) => name!);

/** The select that a clause at `index` belongs to, with its subqueries: what stands in the same pair of parentheses. */
function selectAround(sql: string, index: number): string {
  const end = (from: number, step: 1 | -1): number => {
    for (let at = from, depth = 0; at >= 0 && at < sql.length; at += step) {
      const inwards = sql[at] === (step === 1 ? '(' : ')');
      const outwards = sql[at] === (step === 1 ? ')' : '(');
      if (outwards && depth === 0) return at;
      depth += Number(inwards) - Number(outwards);
    }
    return step === 1 ? sql.length : -1;
  };
  return sql.slice(end(index - 1, -1) + 1, end(index, 1));
}

/** What the SQL of a text does to what other parts own. */
function usesOf(part: string, literals: readonly string[], owners: ReadonlyMap<string, string>): Uses {
  const uses: Uses = { reads: new Set(), writes: new Set(), locks: new Set() };
  const isForeign = (name: string): boolean => owners.has(name) && owners.get(name) !== part;
  for (const literal of literals) {
    const called = namesIn(literal, CALLED).filter((name) => FUNCTIONS.has(name));
    for (const name of [...namesIn(literal, SELECTED), ...called].filter(isForeign)) {
      uses.reads.add(name);
      if (new RegExp(`\\b(?:insert into|update|delete from)\\s+${name}\\b`, 'i').test(literal)) uses.writes.add(name);
    }
    // A lock without `of` is one on every table of its select and of the subqueries, also behind a view.
    for (const { index } of literal.matchAll(LOCK))
      for (const name of namesIn(selectAround(literal, index), SELECTED).filter(isForeign)) uses.locks.add(name);
  }
  return uses;
}

/** The files that create views and functions. Each bears the name of what it creates. */
const created = new Map(
  filesUnder('src', '.sql').map((file) => [basename(file, '.sql'), { part: partOf(file), sql: textOf(file) }]),
);
const FUNCTIONS = new Set([...created].filter(([, { sql }]) => /\bfunction\b/i.test(sql)).map(([name]) => name));
const owners = ownersOfNames();
const modules = [...new Set(filesUnder('src/modules').map(partOf))].filter((name) => name !== 'modules');
const usesOfModules = new Map(
  modules.map((module) => {
    const literals = filesUnder(`src/modules/${module}`).flatMap((file) => literalsOf(file, textOf(file)));
    return [module, usesOf(module, literals, owners)];
  }),
);
const usesOfModule = (module: string): Uses => usesOfModules.get(module)!;
const published = Object.entries(PUBLISHED).flatMap(([module, names]) => names.map((name) => [name, module] as const));

describe('the SQL of the modules', () => {
  it.each(modules)('of %s names of other modules only what READS lists for it', (module) => {
    expect([...usesOfModule(module).reads].toSorted()).toEqual([...(READS[module] ?? [])].toSorted());
  });

  it.each(modules)('of %s writes no row of another module', (module) => {
    expect([...usesOfModule(module).writes]).toEqual([]);
  });

  it.each(modules)('of %s locks no row of another module', (module) => {
    expect([...usesOfModule(module).locks]).toEqual([]);
  });
});

const CHANGED =
  /\b(?:(?:alter|drop|truncate) table (?:if exists )?|insert into |update |delete from |create (?:unique )?index (?:concurrently )?(?:if not exists )?\w+ on )(?:only )?(\w+)/gi;

/** The tables of other parts that a migration changes. */
function foreignTables(part: string, text: string): string[] {
  const changed = literalsOf('migration.ts', text).flatMap((sql) => namesIn(sql, CHANGED));
  return [...new Set(changed.filter((name) => owners.has(name) && owners.get(name) !== part))];
}

describe('a migration', () => {
  it.each(migrations)('changes the tables of the part that it is named after: %s', (file) => {
    expect(foreignTables(partOfMigration(file)!, textOf(file))).toEqual([]);
  });

  it.each([
    'alter table users add column note text',
    'create index concurrently users_note on users (app_id, note)',
    `update users set note = ''`,
    'drop table if exists users',
  ])('of passkey is recognised when it changes a table of identity: %s', (sql) => {
    expect(foreignTables('passkey', `runner.query(\`${sql}\`)`)).toEqual(['users']);
    expect(foreignTables('identity', `runner.query(\`${sql}\`)`)).toEqual([]);
  });
});

describe('a table, a view and a function', () => {
  it.each(migrations)('is created by a migration that is named after its owner: %s', (file) => {
    expect(partOfMigration(file)).toBeDefined();
  });

  it.each([...created])('is created by the file of its name, which replaces it: %s', (name, { sql }) => {
    const objects = namesIn(sql, /\bcreate\s+(?:or replace\s+)?(?:view|function)\s+(\w+)/gi);
    expect(objects).toEqual([name]);
    expect(sql).toContain(`create or replace ${FUNCTIONS.has(name) ? 'function' : 'view'} ${name}`);
  });
});

describe('what modules publish for the SQL of other modules', () => {
  it('is all that READS lists', () => {
    const listed = new Set(Object.values(READS).flat());
    expect([...listed].filter((name) => !published.some(([known]) => known === name))).toEqual([]);
  });

  it.each(published)('%s is created by %s and reads and locks only its rows', (name, module) => {
    expect(created.get(name)?.part).toBe(module);
    const { sql } = created.get(name)!;
    expect(namesIn(sql, SELECTED).filter((table) => owners.has(table) && owners.get(table) !== module)).toEqual([]);
  });

  it.each(published)('%s is described in the README of %s', (name, module) => {
    expect(textOf(`src/modules/${module}/README.md`)).toContain(`\`${name}`);
  });

  it('leaves every other view and function to one part of the service', () => {
    const unpublished = [...created.keys()].filter((name) => !owners.has(name));
    const users = unpublished.map((name) => {
      const naming = filesUnder('src').filter((file) => new RegExp(`\\b${name}\\s*\\(`).test(textOf(file)));
      return [name, parts.filter((part) => naming.some((file) => partOf(file) === part)).length];
    });
    expect(users.filter(([, count]) => Number(count) > 1)).toEqual([]);
  });
});

describe('the check of SQL borders', () => {
  const uses = (text: string): Uses => usesOf('passkey', literalsOf('x.ts', text), owners);

  it.each([
    ['a string', `const sql = 'select * from users where id = $1';`],
    ['a template', 'const sql = `select ${columns} from passkeys p join users u on u.id = p.user_id`;'],
    ['a registered table', `register({ table: 'users' });`],
  ])('sees a table of another module in %s', (_, text) => {
    expect([...uses(text).reads]).toEqual(['users']);
  });

  it.each(['emails', 'phone_numbers', 'apps', 'wallets', 'oauth_connections', 'jobs'])(
    'knows the owner of %s',
    (table) => {
      expect([...uses(`const sql = 'select * from ${table}';`).reads]).toEqual([table]);
    },
  );

  it.each(['live_users', 'live_apps'])('sees the view %s of another module', (view) => {
    expect([...uses(`const sql = 'select * from ${view}';`).reads]).toEqual([view]);
  });

  it('sees a call of a function of another module', () => {
    expect([...uses(`const sql = 'select lock_user($1, $2) as state';`).reads]).toEqual(['lock_user']);
  });

  it('sees a lock that a template adds to a constant', () => {
    const text = 'const OWNER = `select from users where id = $1`; const LOCK = `${OWNER} for key share`;';
    expect([...uses(text).locks]).toEqual(['users']);
  });

  it.each([
    'insert into users (id) values ($1)',
    'update users set id = $1',
    'delete from users where id = $1',
    'update live_users set state = $1',
  ])('sees a write: %s', (sql) => {
    expect([...uses(`const sql = '${sql}';`).writes]).toHaveLength(1);
  });

  it.each(['for update', 'for no key update', 'for share', 'for key share'])('sees a lock: %s', (lock) => {
    expect([...uses(`const sql = 'select from users where id = $1 ${lock}';`).locks]).toEqual(['users']);
  });

  it.each([
    ['select from live_users where user_id = $1 for update', ['live_users']],
    ['select from (select * from users where id = $1) u for update', ['users']],
    ['select from users u cross join lateral (select from passkeys p where p.user_id = u.id for update) own', []],
    ['with own as (select from passkeys where id = $1 for update) select from users, own', []],
  ])('sees which rows a lock is on: %s', (sql, locked) => {
    expect([...uses(`const sql = '${sql}';`).locks]).toEqual(locked);
  });

  it('sees no table in an import or in a word of a sentence', () => {
    expect([...uses(`import x from './users.js'; const text = 'The users of an app.';`).reads]).toEqual([]);
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import ts from 'typescript';

// eslint-disable-next-line @typescript-eslint/no-require-imports -- dependency-cruiser reads the same file, as CommonJS
const { READS, LOCKS } = require('../../.module-borders.cjs') as {
  READS: Record<string, string[]>;
  LOCKS: Record<string, string[]>;
};

const project = join(__dirname, '../..');
const filesUnder = (directory: string): string[] =>
  readdirSync(join(project, directory), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(project, join(entry.parentPath, entry.name)).split(sep).join('/'));
const textOf = (file: string): string => readFileSync(join(project, file), 'utf8');

/** The part of src that a file belongs to: a module's name, or a layer such as `services`. */
const partOf = (file: string): string => /^src\/modules\/([^/]+)\//.exec(file)?.[1] ?? file.split('/')[1]!;

/** The part that maps each table of the migrations: the file of its entity schema names the table. */
function ownersOfTables(): Map<string, string> {
  const schemas = filesUnder('src').filter((file) => textOf(file).includes('new EntitySchema'));
  const tables = filesUnder('migrations').flatMap((file) =>
    [...textOf(file).matchAll(/create (?:unlogged )?table (\w+)/g)].map((match) => match[1]!),
  );
  return new Map(
    [...new Set(tables)].map((table) => {
      const owner = schemas.find((file) => textOf(file).includes(`'${table}'`));
      return [table, owner === undefined ? 'no module' : partOf(owner)];
    }),
  );
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

/** What the SQL of a text does to the tables of other parts. */
function usesOf(part: string, literals: readonly string[], owners: ReadonlyMap<string, string>): Uses {
  const uses: Uses = { reads: new Set(), writes: new Set(), locks: new Set() };
  const isForeign = (name: string): boolean => owners.has(name) && owners.get(name) !== part;
  for (const literal of literals) {
    const named = [...literal.matchAll(/\b(?:from|join|into|update|using)\s+(?:only\s+)?(\w+)/gi)].map(
      ([, name]) => name!,
    );
    for (const name of named.filter(isForeign)) {
      uses.reads.add(name);
      if (new RegExp(`\\b(?:insert into|update|delete from)\\s+${name}\\b`, 'i').test(literal)) uses.writes.add(name);
      // A lock without `of` is one on every table of its select.
      if (/\bfor (?:no key )?(?:update|share)\b|\bfor key share\b/i.test(literal)) uses.locks.add(name);
    }
  }
  return uses;
}

const owners = ownersOfTables();
const modules = [...new Set(filesUnder('src/modules').map(partOf))].filter((name) => name !== 'modules');
const usesOfModules = new Map(
  modules.map((module) => {
    const literals = filesUnder(`src/modules/${module}`).flatMap((file) => literalsOf(file, textOf(file)));
    return [module, usesOf(module, literals, owners)];
  }),
);
const usesOfModule = (module: string): Uses => usesOfModules.get(module)!;

describe('the SQL of the modules', () => {
  it('finds the owner of every table in a schema file', () => {
    expect([...owners].filter(([, owner]) => owner === 'no module').map(([table]) => table)).toEqual([]);
  });

  it.each(modules)('of %s names only the tables of other modules that READS lists for it', (module) => {
    expect([...usesOfModule(module).reads].toSorted()).toEqual([...(READS[module] ?? [])].toSorted());
  });

  it.each(modules)('of %s writes no row of another module', (module) => {
    expect([...usesOfModule(module).writes]).toEqual([]);
  });

  it.each(modules)('of %s locks no row of another module but those that LOCKS lists', (module) => {
    expect([...usesOfModule(module).locks].toSorted()).toEqual([...(LOCKS[module] ?? [])].toSorted());
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

  it('sees a lock that a template adds to a constant', () => {
    const text = 'const OWNER = `select from users where id = $1`; const LOCK = `${OWNER} for key share`;';
    expect([...uses(text).locks]).toEqual(['users']);
  });

  it.each(['insert into users (id) values ($1)', 'update users set id = $1', 'delete from users where id = $1'])(
    'sees a write: %s',
    (sql) => {
      expect([...uses(`const sql = '${sql}';`).writes]).toEqual(['users']);
    },
  );

  it.each(['for update', 'for no key update', 'for share', 'for key share'])('sees a lock: %s', (lock) => {
    expect([...uses(`const sql = 'select from users where id = $1 ${lock}';`).locks]).toEqual(['users']);
  });

  it('sees no table in an import or in a word of a sentence', () => {
    expect([...uses(`import x from './users.js'; const text = 'The users of an app.';`).reads]).toEqual([]);
  });
});

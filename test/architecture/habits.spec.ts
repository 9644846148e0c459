import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import ts from 'typescript';

/** A habit that no import shows. The syntax tree is searched, so comments and strings do not count. */
interface Habit {
  readonly name: string;
  readonly mayBeBrokenIn?: RegExp;
  readonly isBrokenBy: (node: ts.Node) => boolean;
}

const habits: Habit[] = [
  {
    name: 'only the configuration reads the environment',
    mayBeBrokenIn: /^src\/services\/config\//,
    isBrokenBy: (node) => isMember(node, 'process', 'env'),
  },
  {
    name: 'the Clock is the only source of time',
    // An id only sorts by its time; nothing is decided by it. What was read of a list is read again after a day.
    mayBeBrokenIn: /^src\/((postgres|services|edge|dev)\/|kernel\/ids\.ts$|modules\/chain\/.*\/solana-signatures\.ts$)/,
    isBrokenBy: (node) =>
      isMember(node, 'Date', 'now') ||
      (ts.isNewExpression(node) && node.expression.getText() === 'Date' && !node.arguments?.length),
  },
  {
    name: 'random numbers come from the system',
    // Services spread its retries with it.
    mayBeBrokenIn: /^src\/(postgres|services|dev)\//,
    isBrokenBy: (node) => isMember(node, 'Math', 'random'),
  },
  {
    name: 'SQL goes through the verbs of src/postgres',
    // The texts of a user search differ with its filters and are not prepared; some commands examine a database without the service.
    mayBeBrokenIn:
      /^src\/(postgres\/|dev\/|cli\/(doctor|maintenance)\.ts$|modules\/identity\/infrastructure\/postgres-user-profiles\.ts$)/,
    isBrokenBy: (node) =>
      ts.isPropertyAccessExpression(node) &&
      ['query', 'createQueryRunner'].includes(node.name.text) &&
      /(?:^|\.)(?:manager|dataSource|queryRunner|runner)$|get\(DataSource\)$/.test(node.expression.getText()),
  },
  {
    name: 'a read or a list neither changes nor locks rows',
    isBrokenBy: (node) =>
      ts.isCallExpression(node) &&
      ts.isPropertyAccessExpression(node.expression) &&
      /(?:^|\.)database\.(?:read|list)$/.test(node.expression.getText()) &&
      CHANGES_OR_LOCKS.test(textWithConstants(node.arguments[0]!)),
  },
  {
    name: 'the only barrels are the index of a module and the list of modules',
    mayBeBrokenIn: /^src\/modules\/([^/]+\/)?index\.ts$/,
    isBrokenBy: (node) => ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined,
  },
  {
    name: 'a statement of more than six parameters names them',
    // The cost of a bcrypt hash looks like a parameter.
    mayBeBrokenIn: /^src\/modules\/password\/domain\/password-hash\.ts$/,
    isBrokenBy: (node) =>
      (ts.isStringLiteralLike(node) || isTemplatePart(node)) && /\$([7-9]|[1-9]\d)\b/.test(node.text),
  },
  {
    name: 'a class is a word of the domain, not of the machinery',
    isBrokenBy: (node) =>
      (ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node)) &&
      /^I[A-Z][a-z]|.(Impl|Manager|Helpers?|Utils?|Service)$/.test(node.name?.text ?? ''),
  },
];

const CHANGES_OR_LOCKS =
  /\b(?:insert into|delete from|update|set_config|lock table|for (?:key )?share)\b|\b(?:hold|lock|take|create|drop)_\w+\(/;

/** The text of an expression and of the constants of its file that it names, directly or through each other. */
function textWithConstants(node: ts.Node, known = new Set<string>()): string {
  const texts = [node.getText()];
  const visit = (inner: ts.Node): void => {
    if (ts.isIdentifier(inner) && !known.has(inner.text)) {
      known.add(inner.text);
      for (const declared of constantsOf(node.getSourceFile()))
        if (declared.name.getText() === inner.text && declared.initializer)
          texts.push(textWithConstants(declared.initializer, known));
    }
    ts.forEachChild(inner, visit);
  };
  visit(node);
  return texts.join(' ');
}

function constantsOf(source: ts.SourceFile): ts.VariableDeclaration[] {
  return source.statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => [...declarationList.declarations]);
}

function isTemplatePart(node: ts.Node): node is ts.TemplateHead | ts.TemplateMiddle | ts.TemplateTail {
  return ts.isTemplateHead(node) || ts.isTemplateMiddle(node) || ts.isTemplateTail(node);
}

function isMember(node: ts.Node, object: string, member: string): boolean {
  if (ts.isPropertyAccessExpression(node)) {
    return node.expression.getText() === object && node.name.text === member;
  }
  return (
    ts.isElementAccessExpression(node) &&
    node.expression.getText() === object &&
    ts.isStringLiteralLike(node.argumentExpression) &&
    node.argumentExpression.text === member
  );
}

/** Every place under `src` of this directory where a habit is broken, as `habit: file:line`. */
function offences(directory: string): string[] {
  const found: string[] = [];
  for (const path of filesUnder(join(directory, 'src'))) {
    const file = relative(directory, path).split(sep).join('/');
    const source = ts.createSourceFile(file, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
    const visit = (node: ts.Node): void => {
      for (const { name, mayBeBrokenIn, isBrokenBy } of habits) {
        if (mayBeBrokenIn?.test(file) || !isBrokenBy(node)) continue;
        found.push(`${name}: ${file}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`);
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return found;
}

function filesUnder(directory: string, names = /\.ts$/): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && names.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

describe('the habits of the project', () => {
  it('are kept in all of src', () => {
    expect(offences(join(__dirname, '../..'))).toEqual([]);
  });

  it('are each broken by the fixture', () => {
    const broken = offences(join(__dirname, 'fixture')).map((offence) => offence.split(':')[0]);
    expect(new Set(broken)).toEqual(new Set(habits.map(({ name }) => name)));
  });
});

describe('the table of who waits for whom', () => {
  it('names every port method and every SQL function that holds or locks rows', () => {
    const root = join(__dirname, '../..');
    const table = readFileSync(join(root, 'src/postgres/README.md'), 'utf8');
    const sources = filesUnder(join(root, 'src'), /\.(ts|sql)$/).map((path) => readFileSync(path, 'utf8'));
    const locks = sources.flatMap((source) => [
      ...Array.from(source.matchAll(/^create or replace function ((?:hold|lock)_\w+)/gm), ([, name]) => `${name}()`),
      ...Array.from(
        source.matchAll(/^ {2}abstract ((?:hold|lock)(?:[A-Z]\w*)?)[<(]/gm),
        ({ 1: method, index }) => `${/.*abstract class (\w+)/s.exec(source.slice(0, index))?.[1]}.${method}`,
      ),
    ]);
    expect(locks.length).toBeGreaterThan(15);
    const missing = locks.filter((name) => !table.includes(name));
    expect(missing.map((name) => `src/postgres/README.md, Who waits for whom, has no line for ${name}`)).toEqual([]);
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { transformSync } from '@swc/core';
import ts from 'typescript';

const PROJECT = join(__dirname, '../..');
const KEYWORDS =
  'select|insert|update|delete|with|lock|set|reset|begin|commit|rollback|create|drop|alter|truncate|listen|notify|call|do|merge|declare|prepare';
// A sentence begins with one capital letter.
const STATEMENT = new RegExp(`^\\s*(?:${KEYWORDS}|${KEYWORDS.toUpperCase()})\\s`);

const HAS_STATEMENT = /[`'"]\s*(?:select|insert|update|delete|with|lock|set|begin|commit)\b/i;

/** An identifier, which many parts may be. */
export const HOLE = 'part_of_a_call';

/** A statement of the sources. */
export interface SourceStatement {
  readonly file: string;
  readonly text: string;
  /** Whether a part is known only in a call. */
  readonly isInParts: boolean;
}

/**
 * All statements of the sources: the values of the constants of each file, which is evaluated for this, and the literals in its
 * functions with these constants inserted. A part that is known only in a call is a `HOLE`.
 */
export function statementsOfSources(): SourceStatement[] {
  const files = readdirSync(join(PROJECT, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(PROJECT, join(entry.parentPath, entry.name)).split(sep).join('/'))
    // The console and the pages of modules run in browsers.
    .filter((file) => !/^src\/(?:modules\/[^/]+\/)?console\//.test(file))
    .filter((file) => HAS_STATEMENT.test(readFileSync(join(PROJECT, file), 'utf8')));
  return files.flatMap((file) => statementsOf(file, readFileSync(join(PROJECT, file), 'utf8')));
}

export function statementsOf(file: string, text: string): SourceStatement[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const constants = evaluate(file, text, source);
  const found = new Set<string>();
  for (const value of constants.values()) for (const each of textsIn(value)) found.add(each);
  const visit = (node: ts.Node): void => {
    if (isInFunction(node) && (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)))
      found.add(textOf(node, constants));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...found]
    .filter((each) => STATEMENT.test(each))
    .map((each) => ({ file, text: each.replaceAll(/\$[a-z]\w*/gi, '$1'), isInParts: each.includes(HOLE) }));
}

/** The constants of a file by name. */
function evaluate(file: string, text: string, source: ts.SourceFile): Map<string, unknown> {
  const names = source.statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => declarationList.declarations)
    .flatMap(({ name }) => (ts.isIdentifier(name) ? [name.text] : []));
  if (names.length === 0) return new Map();
  const { code } = transformSync(
    `${withoutImportMeta(text)}\nexport const constantsOfFile = { ${names.join(', ')} };`,
    {
      swcrc: false,
      filename: file,
      jsc: {
        parser: { syntax: 'typescript', decorators: true },
        transform: { legacyDecorator: true },
        target: 'es2022',
      },
      module: { type: 'commonjs' },
    },
  );
  const load = (name: string): unknown =>
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- the file's own imports, by Jest's resolver
    require(name.startsWith('.') ? join(PROJECT, dirname(file), name.replace(/\.js$/, '')) : name);
  Object.assign(load, createRequire(join(PROJECT, file)), load);
  const module = { exports: {} as Record<string, unknown> };
  // oxlint-disable-next-line typescript/no-implied-eval -- Its source is a file of this project.
  const run = new Function('module', 'exports', 'require', '__filename', '__dirname', code);
  run(module, module.exports, load, join(PROJECT, file), join(PROJECT, dirname(file)));
  return new Map(Object.entries(module.exports['constantsOfFile'] as object));
}

function withoutImportMeta(code: string): string {
  return code
    .replace(/^const require = .*;$/m, '')
    .replaceAll('import.meta.url', '__filename')
    .replaceAll('import.meta', '{ dirname: __dirname, filename: __filename }');
}

/** The texts in a constant: a string, a statement, an object or list of such, or what `named` makes of named parameters. */
function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value];
  if (value instanceof Map) return textsIn([...value.values()], depth);
  if (typeof value === 'function') {
    if (value.length !== 1 || /^class\s/.test(Function.prototype.toString.call(value))) return [];
    try {
      // `named` accepts every parameter that is not undefined.
      const made: unknown = value(new Proxy({}, { get: () => '' }));
      return Array.isArray(made) ? textsIn(made[0], depth + 1) : [];
    } catch {
      return [];
    }
  }
  if (typeof value !== 'object' || value === null || depth > 3) return [];
  return Object.values(value).flatMap((each) => textsIn(each, depth + 1));
}

function isInFunction(node: ts.Node): boolean {
  for (let { parent } = node; parent; parent = parent.parent) if (ts.isFunctionLike(parent)) return true;
  return false;
}

function textOf(node: ts.StringLiteralLike | ts.TemplateExpression, constants: ReadonlyMap<string, unknown>): string {
  if (ts.isStringLiteralLike(node)) return node.text;
  const spans = node.templateSpans.map(({ expression, literal }) => {
    const value = valueOf(expression, constants);
    return `${typeof value === 'string' || typeof value === 'number' ? value : HOLE}${literal.text}`;
  });
  return node.head.text + spans.join('');
}

function valueOf(node: ts.Expression, constants: ReadonlyMap<string, unknown>): unknown {
  if (ts.isIdentifier(node)) return constants.get(node.text);
  if (!ts.isPropertyAccessExpression(node)) return undefined;
  const owner = valueOf(node.expression, constants) as Record<string, unknown> | undefined;
  return owner?.[node.name.text];
}

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

// eslint-disable-next-line @typescript-eslint/no-require-imports -- dependency-cruiser reads the same file, as CommonJS
const { MAY_CALL } = require('../../.module-borders.cjs') as { MAY_CALL: Record<string, string[]> };

const project = join(__dirname, '../..');
const textOf = (file: string): string => readFileSync(join(project, file), 'utf8');
const scopesIn = (packageJson: string): string[] =>
  (JSON.parse(packageJson) as { commitlint: { rules: { 'scope-enum': [number, string, string[]] } } }).commitlint.rules[
    'scope-enum'
  ][2];
const modules = readdirSync(join(project, 'src/modules'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const migrations = readdirSync(join(project, 'migrations')).filter((file) => /^\d+-.+\.ts$/.test(file));

/** The entries that have no line in a list of re-exports. */
const unlisted = (list: string, entries: readonly string[], pathOf: (entry: string) => string): string[] =>
  entries.filter((entry) => !list.includes(` from '${pathOf(entry)}';`));
const unlistedModules = (list: string) => unlisted(list, modules, (name) => `./${name}/index.js`);
const unlistedMigrations = (list: string) => unlisted(list, migrations, (file) => `./${file.replace(/ts$/, 'js')}`);

describe('what a module adds outside its folder', () => {
  it('is a line for each module in the list of modules', () => {
    expect(unlistedModules(textOf('src/modules/index.ts'))).toEqual([]);
  });

  it('is a line for each migration in the list of migrations', () => {
    expect(unlistedMigrations(textOf('migrations/index.ts'))).toEqual([]);
  });

  it('is a line for each module in MAY_CALL', () => {
    expect(modules.filter((name) => !Object.hasOwn(MAY_CALL, name))).toEqual([]);
  });

  it('is a line for each module in the scopes of commits', () => {
    const scopes = scopesIn(textOf('package.json'));
    expect(modules.filter((name) => !scopes.includes(name))).toEqual([]);
  });

  it.each([
    ['src/modules/index.ts', modules, unlistedModules],
    ['migrations/index.ts', migrations, unlistedMigrations],
  ])('is named when its line in %s is missing', (file, entries, find) => {
    const lines = textOf(file).split('\n');
    const missing = entries.map((entry) => {
      const name = entry.replace(/\.ts$/, '');
      return find(lines.filter((line) => !line.includes(`./${name}.js`) && !line.includes(`./${name}/`)).join('\n'));
    });
    expect(missing).toEqual(entries.map((entry) => [entry]));
  });

  it('is a schema in the API document for each class of a *.dto.ts, so no two have one name', () => {
    const files = readdirSync(join(project, 'src'), { recursive: true, encoding: 'utf8' });
    const classes = files
      .filter((file) => file.endsWith('.dto.ts'))
      .flatMap((file) => [...textOf(join('src', file)).matchAll(/^export class (\w+)/gm)].map(([, name]) => name!));
    expect(classes.length).toBeGreaterThan(100);
    expect(classes.filter((name, index) => classes.indexOf(name) < index)).toEqual([]);
  });

  it('is no line for a page of the console, whose place in the navigation is after a page that exists', () => {
    const pages = readdirSync(join(project, 'src/modules'), { recursive: true, encoding: 'utf8' })
      .filter((file) => /^\w[\w-]*\/console\/[\w-]+\.tsx$/.test(file.replaceAll('\\', '/')))
      .flatMap((file) => {
        const declared = /export const page: (?:ConsolePage|readonly ConsolePage\[\]) = ([^;]*)/;
        const [, found = file] = declared.exec(textOf(join('src/modules', file))) ?? [];
        const [first, ...pages] = found.split(/(?=path: )/);
        return pages.length > 0 ? pages : [first!];
      });
    const each = (name: string) => pages.flatMap((page) => new RegExp(`${name}: '([^']*)'`).exec(page)?.[1] ?? []);
    expect(pages.length).toBeGreaterThan(10);
    expect(each('path')).toHaveLength(pages.length);
    expect(each('after').filter((path) => path !== '' && !each('path').includes(path))).toEqual([]);
  });

  it('is explained in a README and published by an index.ts of each module', () => {
    const files = modules.flatMap((name) => ['README.md', 'index.ts'].map((file) => `src/modules/${name}/${file}`));
    expect(files.filter((file) => textOf(file).trim() === '')).toEqual([]);
  });
});

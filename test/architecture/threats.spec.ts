import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const TEST = join(__dirname, '..');

interface Row {
  readonly threat: string;
  readonly state: string;
  readonly tests: readonly { readonly file: string; readonly name: string }[];
}

/** The rows of the table in the section Threats of the module. */
function rowsIn(readme: string): Row[] {
  const [, section = ''] = /\n## Threats\n([\s\S]*?)(?=\n## |$)/.exec(readme) ?? [];
  const rows = section.split('\n').filter((line) => /^\| (?!Threat |-)/.test(line));
  return rows.map((line) => {
    const [threat, , state] = line.slice(1, -1).split(/(?<!\\)\|/) as [string, string, string];
    const tests = [...state.matchAll(/`([^`]+)`: "([^"]+)"/g)].map(([, file, name]) => ({ file: file!, name: name! }));
    return { threat: threat.trim(), state: state.trim(), tests };
  });
}

/** Whether the file has a test or a case of this name: a text that stands first in a call or in a list. */
function hasTest({ file, name }: Row['tests'][number]): boolean {
  const path = join(TEST, file.includes('/') ? file : `modules/policy/${file}`);
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return existsSync(path) && new RegExp(String.raw`[([]\s*(['"\x60])${escaped}\1,`).test(readFileSync(path, 'utf8'));
}

describe('the threats of the policy module', () => {
  const rows = rowsIn(readFileSync('src/modules/policy/README.md', 'utf8'));

  it('name only tests that exist', () => {
    expect(rows.length).toBeGreaterThanOrEqual(30);
    const absent = rows.flatMap(({ tests }) => tests.filter((test) => !hasTest(test)));
    expect(absent).toEqual([]);
  });

  it('each have a test, or are accepted', () => {
    const without = rows.filter(({ tests, state }) => tests.length === 0 && state !== 'accepted');
    expect(without).toEqual([]);
  });

  it('would be found without their test', () => {
    const row = (file: string, name: string) => rowsIn(`\n## Threats\n| A | B | \`${file}\`: "${name}" |\n`)[0]!.tests;
    const name = 'name only tests that exist';
    expect(row('architecture/threats.spec.ts', name).map(hasTest)).toEqual([true]);
    expect(row('architecture/threats.spec.ts', `${name} elsewhere`).map(hasTest)).toEqual([false]);
    expect(row('architecture/gone.spec.ts', name).map(hasTest)).toEqual([false]);
  });
});

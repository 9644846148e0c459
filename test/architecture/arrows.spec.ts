import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

interface Cruise {
  summary: {
    violations: { rule: { name: string } }[];
    ruleSetUsed: { forbidden: { name: string }[] };
  };
}

const project = join(__dirname, '../..');

/** dependency-cruiser is ESM-only, so it runs as the program `npm run check` runs too. */
function cruise(directory: string, ...roots: string[]): Cruise['summary'] {
  const program = join(project, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const rules = join(project, '.dependency-cruiser.cjs');
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [program, '--config', rules, '--output-type', 'json', ...roots],
    { cwd: directory, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  if (!stdout) throw new Error(stderr);
  return (JSON.parse(stdout) as Cruise).summary;
}

describe('the arrows between the parts of src', () => {
  it('bite: the fixture breaks every rule exactly once', () => {
    const { violations, ruleSetUsed } = cruise(join(__dirname, 'fixture'), 'src');
    const rules = new Set(ruleSetUsed.forbidden.map(({ name }) => name));
    expect(violations.map(({ rule }) => rule.name).sort()).toEqual([...rules].sort());
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const PAGE = join(__dirname, '../../../src/modules/authorization/threats.md');
const ROW = /^\|[^|]+\|[^|]+\| `([\w-]+)`: (.+) \|$/;

describe('each attack on the authorization server', () => {
  const rows = readFileSync(PAGE, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| ') && line.includes('`'));

  it.each(rows.map((row) => [row.split('|')[1]!.trim(), row]))('%s: has a test', (_, row) => {
    const [, file, name] = ROW.exec(row) ?? [];
    expect([file, name]).toEqual([expect.any(String), expect.any(String)]);
    const source = readFileSync(join(__dirname, `${file}.e2e-spec.ts`), 'utf8');
    expect(source.replaceAll("\\'", "'").includes(name!.trim())).toBe(true);
  });
});

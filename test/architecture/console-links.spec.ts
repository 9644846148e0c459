import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((name) => /\.tsx?$/.test(name));
const sources = [...filesIn('src/console'), ...filesIn('src/modules').filter((name) => name.includes('/console/'))];

describe('a link of the console', () => {
  it('begins with `home` or `root`, because the service may be below a path', () => {
    const absolute = sources.flatMap((name) =>
      [...readFileSync(name, 'utf8').matchAll(/(?:href|src)=(?:\{`|"|\{')\/.*|route\([`']\/.*|`\/console\/.*/g)].map(
        ([text]) => `${name}: ${text}`,
      ),
    );
    expect(sources.length).toBeGreaterThan(40);
    expect(absolute).toEqual([]);
  });
});

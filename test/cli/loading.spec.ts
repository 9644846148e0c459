import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The packages that a file of `src` and all files that it imports at their start load, without those that a command loads when it runs. */
function packagesOf(file: string, seen = new Set<string>(), packages = new Set<string>()): Set<string> {
  if (seen.has(file)) return packages;
  seen.add(file);
  const text = readFileSync(file, 'utf8');
  for (const [, from] of text.matchAll(/^(?:import|export) (?!type\b)(?:[^;']*? from )?'([^']+)';/gm)) {
    if (from!.startsWith('.')) packagesOf(join(dirname(file), from!.replace(/\.js$/, '.ts')), seen, packages);
    else if (!from!.startsWith('node:')) packages.add(from!);
  }
  return packages;
}

describe('the command line', () => {
  it('loads little before it knows the command, so that help answers at once', () => {
    expect([...packagesOf(join(__dirname, '../../src/cli.ts'))].sort()).toEqual([
      'ipaddr.js',
      'pg',
      'source-map-support',
    ]);
    // The service itself, to show that the search finds what is loaded.
    expect(packagesOf(join(__dirname, '../../src/service.ts')).has('@nestjs/core')).toBe(true);
  });
});

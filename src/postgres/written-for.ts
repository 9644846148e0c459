import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

/** A changed private part may lose a rollback: the service must not start with a minor version that their test has not seen. */
export function requireVersion(name: string, minor: string): void {
  const version = versionOf(name);
  if (version.startsWith(`${minor}.`)) return;
  throw new Error(
    `${name} ${version} is installed, but the service uses private parts of ${name} ${minor}. Install ${name} ${minor}, or make ` +
      `the test of these parts pass with ${version} and change the version that their file requires.`,
  );
}

/** Not every package exports its package.json. */
function versionOf(name: string): string {
  for (let folder = dirname(require.resolve(name)); ; folder = dirname(folder)) {
    try {
      const read = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { name?: string; version: string };
      if (read.name === name) return read.version;
    } catch (error) {
      if (folder === dirname(folder)) throw error;
    }
  }
}

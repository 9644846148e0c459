import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { canReach, run, type ServerUser, WAY_OUT } from './server-user.js';

/** The database's directory in its home. */
export const CLUSTER = 'cluster';
export const SUPERUSER = 'postgres';
const PASSWORD = 'password';
const DRAFT = 'draft-';
/** A draft of this age was left by a killed start. */
const ABANDONED_AFTER_MS = 600_000;

/**
 * The directory that holds the database and its log: `dataDir`, or when root started the service below a directory that
 * only root may enter, a new one under /var/lib to which a link in `dataDir` leads.
 */
export async function homeFor(user: ServerUser, dataDir: string, log: (line: string) => void): Promise<string> {
  if (user.uid === undefined) return fs.realpath(dataDir);
  const link = join(dataDir, 'elsewhere');
  const elsewhere = await fs.readlink(link).catch(() => null);
  if (elsewhere !== null && existsSync(elsewhere)) return elsewhere;
  await fs.chown(dataDir, user.uid, user.gid);
  if (await canReach(dataDir, user)) return fs.realpath(dataDir);
  if (existsSync(join(dataDir, CLUSTER)))
    throw new Error(`The server's user (${user.uid}) can no longer enter ${dataDir}: a directory above it is closed.`);
  await fs.rm(link, { force: true });
  await fs.mkdir('/var/lib', { recursive: true });
  const home = await fs.mkdtemp('/var/lib/embedded-postgres-');
  await fs.chown(home, user.uid, user.gid);
  try {
    await fs.symlink(home, link);
  } catch {
    await fs.rm(home, { recursive: true });
    return fs.readlink(link);
  }
  log(`PostgreSQL cannot run as root, and only root may enter ${dataDir}: the database is kept in ${home}.`);
  return home;
}

/** Creates the database in a draft and moves it into place, so that no start finds half of one. The first to move wins. */
export async function createCluster(
  binaries: string,
  home: string,
  user: ServerUser,
  isDurable: boolean,
): Promise<void> {
  await removeAbandonedDrafts(home);
  const draft = await fs.mkdtemp(join(home, DRAFT));
  const [cluster, password] = [join(draft, CLUSTER), join(draft, PASSWORD)];
  try {
    await fs.writeFile(password, randomBytes(24).toString('hex'), { mode: 0o600 });
    if (user.uid !== undefined) for (const path of [draft, password]) await fs.chown(path, user.uid, user.gid);
    const access = ['--username', SUPERUSER, '--pwfile', password, '--auth=scram-sha-256'];
    const form = ['--encoding=UTF8', '--locale=C', '--no-instructions', ...(isDurable ? [] : ['--no-sync'])];
    await run(join(binaries, 'initdb'), ['-D', cluster, ...access, ...form], user);
    await fs.rename(password, join(cluster, PASSWORD));
    await renameUnlessThere(cluster, join(home, CLUSTER));
  } finally {
    await fs.rm(draft, { recursive: true });
  }
}

/** The superuser's password. Only the server's user may read it. */
export async function passwordOf(cluster: string): Promise<string> {
  return fs.readFile(join(cluster, PASSWORD), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EACCES') throw error;
    const words = `The database in ${cluster} belongs to another user. Start as that user.${WAY_OUT}`;
    throw new Error(words, { cause: error });
  });
}

/** Moves a directory. One that is there already stays. */
export async function renameUnlessThere(from: string, to: string): Promise<void> {
  try {
    await fs.rename(from, to);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
    await fs.rm(from, { recursive: true });
  }
}

/** By age, because another start may be working on its own draft. */
async function removeAbandonedDrafts(home: string): Promise<void> {
  for (const name of await fs.readdir(home)) {
    if (!name.startsWith(DRAFT)) continue;
    const made = await fs.stat(join(home, name)).catch(() => null);
    if (made && made.mtimeMs < Date.now() - ABANDONED_AFTER_MS)
      await fs.rm(join(home, name), { recursive: true, force: true });
  }
}

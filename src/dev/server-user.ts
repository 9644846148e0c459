import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';

/** The user that PostgreSQL runs as; empty when that is the user of this process. */
export type ServerUser = { readonly uid: number; readonly gid: number } | Record<string, never>;

/** The end of an error that a developer can avoid. */
export const WAY_OUT = ' Set DATABASE_URL to use another PostgreSQL.';

/** The environment of initdb and the server, independent of the caller's locale. */
export const ENVIRONMENT = { LC_ALL: 'C', PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin' };

/** PostgreSQL refuses root: started by root, it runs as the owner of the database, or as an unprivileged system user. */
export async function serverUser(cluster: string): Promise<ServerUser> {
  const owner = await stat(cluster).catch(() => null);
  if (process.getuid?.() !== 0 && owner && owner.uid !== process.getuid?.())
    throw new Error(`The database in ${cluster} belongs to another user. Start as that user.${WAY_OUT}`);
  if (process.getuid?.() !== 0) return {};
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  // initdb needs a user with a name: the unprivileged system user on Linux, `_postgres` on macOS.
  const id = process.platform === 'darwin' ? 216 : 65_534;
  return { uid: id, gid: id };
}

export async function run(command: string, args: string[], user: ServerUser = {}): Promise<void> {
  try {
    await promisify(execFile)(command, args, { ...user, env: ENVIRONMENT, cwd: '/' });
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    throw new Error(`${command} failed: ${stderr?.trim() || message}${WAY_OUT}`, { cause: error });
  }
}

export async function canRun(command: string, args: string[], user: ServerUser): Promise<boolean> {
  const running = run(command, args, user);
  return running.then(() => true).catch(() => false);
}

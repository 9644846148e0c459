import { spawnSync, execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';

export function runningPostmaster(cluster: string): { readonly port: number; readonly isReady: boolean } | null {
  const file = join(cluster, 'postmaster.pid');
  const report = textOf(file);
  if (!report) return null;
  const [pid, , , port, , , , status] = report.split('\n');
  // The process id may meanwhile be that of another process, or of a zombie.
  const command = commandOf(pid!);
  if (command?.includes(`/postgres -D ${cluster} `)) return { port: Number(port), isReady: status?.trim() === 'ready' };
  // PostgreSQL takes any process with that id for the server. It detects orphaned backends by the file, so only the id is changed.
  if (command !== null) writeFileSync(file, report.replace(/^\d+/, '2147483647'));
  return null;
}

/** Undefined also for a copy of the server's directory. */
export function lastPort(cluster: string): number | undefined {
  const command = textOf(join(cluster, 'postmaster.opts')) ?? '';
  const [, port] = /"port=(\d+)"/.exec(command) ?? [];
  return port !== undefined && command.includes(`"${cluster}"`) ? Number(port) : undefined;
}

function commandOf(pid: string): string | null {
  if (process.platform === 'linux') return textOf(`/proc/${pid}/cmdline`)?.replaceAll('\0', ' ') ?? null;
  const { status, stdout } = spawnSync('ps', ['-ww', '-o', 'command=', '-p', pid], { encoding: 'utf8' });
  return status === 0 ? stdout : null;
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

export type ServerUser = { readonly uid: number; readonly gid: number } | Record<string, never>;

export const WAY_OUT = ' Set DATABASE_URL to use another PostgreSQL.';

/** The caller's locale must not change messages. */
export const ENVIRONMENT = { LC_ALL: 'C', PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin' };

/** PostgreSQL refuses root: it then runs as the owner of the database or as an unprivileged system user. */
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

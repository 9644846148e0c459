import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a server reports in its file `postmaster.pid`. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  readonly isReady: boolean;
}

/** What the file says, whether or not it is of a running server. */
export function reportedPostmaster(cluster: string): Postmaster | null {
  const path = fileOf(cluster);
  if (!existsSync(path)) return null;
  const lines = readFileSync(path, 'latin1').split('\n');
  return { pid: Number(lines[0]), port: Number(lines[3]), isReady: lines[7]?.trim() === 'ready' };
}

/** The server that the file names, unless it has ended. */
export function runningPostmaster(cluster: string): Postmaster | null {
  const reported = reportedPostmaster(cluster);
  if (!reported || isPostgresOn(cluster, reported.pid)) return reported;
  // PostgreSQL removes the file of a dead server, but takes any process with that id for the server, also a zombie. The
  // file must stay, because PostgreSQL detects orphaned backends by it; only its process id becomes an impossible one.
  const path = fileOf(cluster);
  if (isAlive(reported.pid))
    writeFileSync(path, readFileSync(path, 'latin1').replace(/^-?\d+/, '2147483647'), 'latin1');
  return null;
}

const fileOf = (cluster: string): string => join(cluster, 'postmaster.pid');

/** Whether the process is a PostgreSQL server on this directory: not another process with a reused id, not a zombie. */
function isPostgresOn(cluster: string, pid: number): boolean {
  try {
    const command =
      process.platform === 'linux'
        ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
        : execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
    return command.includes(`/postgres -D ${cluster} `);
  } catch {
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

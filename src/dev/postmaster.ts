import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The state that the server on this directory reports in `postmaster.pid`; null when it has ended. */
export function runningPostmaster(cluster: string): { readonly port: number; readonly isReady: boolean } | null {
  const file = join(cluster, 'postmaster.pid');
  const report = textOf(file);
  if (!report) return null;
  const [pid, , , port, , , , status] = report.split('\n');
  // Its process id may meanwhile be that of another process, or of a zombie.
  const command = commandOf(pid!);
  if (command?.includes(`/postgres -D ${cluster} `)) return { port: Number(port), isReady: status?.trim() === 'ready' };
  // PostgreSQL takes any process with that id for the server. The file must stay, because PostgreSQL detects orphaned
  // backends by it; only its process id becomes an impossible one.
  if (command !== null) writeFileSync(file, report.replace(/^\d+/, '2147483647'));
  return null;
}

/** The port of the last server on this directory; 0 when there was none, or when this is a copy of its directory. */
export function lastPort(cluster: string): number {
  const command = textOf(join(cluster, 'postmaster.opts')) ?? '';
  return command.includes(`"${cluster}"`) ? Number(/"port=(\d+)"/.exec(command)?.[1] ?? 0) : 0;
}

/** The command line of a process; null when there is no such process. */
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

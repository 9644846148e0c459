import { existsSync, readFileSync, rmSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { writeHeapSnapshot } from 'node:v8';
import type { Logger } from 'pino';

/** Orders reach a running process by a file in `DATA_DIR` and the signal SIGUSR2. */
export type Order =
  | { readonly take: 'log'; readonly level: string }
  | { readonly take: 'profile'; readonly seconds: number }
  | { readonly take: 'heap' };

export interface Outcome {
  readonly done: string;
}

const FOLDER = 'diagnosis';
/** Profiles name functions, and heaps hold every secret that is in memory. */
const OWNER_ONLY = 0o600;

export function filesOf(dataDir: string, pid: number) {
  const folder = join(dataDir, FOLDER);
  return { folder, order: join(folder, `${pid}.order.json`), outcome: join(folder, `${pid}.outcome.json`) };
}

export function pidFileOf(dataDir: string): string {
  return join(dataDir, FOLDER, 'pid');
}

/** When a process started, by the kernel's clock; empty where the system does not show it. */
export async function startOf(pid: number): Promise<string> {
  const stat = await fs.readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name of the program, in brackets, may have spaces.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

/** Writes the process id for `diagnose`. A directory that cannot be written does not prevent the start. */
export async function takeOrders(dataDir: string, logger: Logger): Promise<void> {
  const { folder, order, outcome } = filesOf(dataDir, process.pid);
  let isBusy = false;
  process.on('SIGUSR2', () => {
    if (isBusy || !existsSync(order)) return;
    isBusy = true;
    void (async () => {
      const command = JSON.parse(await fs.readFile(order, 'utf8')) as Order;
      await fs.rm(order);
      logger.warn({ take: command.take }, 'diagnosis');
      const done = await carryOut(command, folder, logger);
      // Renamed, so that a reader never gets an incomplete file.
      await fs.writeFile(`${outcome}.new`, JSON.stringify({ done } satisfies Outcome), { mode: OWNER_ONLY });
      await fs.rename(`${outcome}.new`, outcome);
    })()
      .catch((error: unknown) => logger.error({ err: error }, 'diagnosis failed'))
      .finally(() => (isBusy = false));
  });
  try {
    await fs.mkdir(folder, { recursive: true, mode: 0o700 });
    // The signal ends a process that does not expect it, as another one with this id may be.
    const self = `${process.pid} ${await startOf(process.pid)}`;
    await fs.writeFile(pidFileOf(dataDir), self);
    process.once('exit', () => {
      const file = pidFileOf(dataDir);
      // The process that follows this one may have written its own id.
      if (existsSync(file) && readFileSync(file, 'utf8') === self) rmSync(file);
    });
  } catch {
    logger.debug('DATA_DIR cannot be written, so there is no diagnosis');
  }
}

async function carryOut(order: Order, folder: string, logger: Logger): Promise<string> {
  const file = (ending: string): string => join(folder, `${Date.now()}-${process.pid}.${ending}`);
  switch (order.take) {
    case 'log':
      Object.assign(logger, { level: order.level });
      return order.level;
    case 'profile':
      return profile(file('cpuprofile'), order.seconds);
    case 'heap': {
      // Others must not read it while it is written either.
      const umask = process.umask(0o077);
      try {
        return writeHeapSnapshot(file('heapsnapshot'));
      } finally {
        process.umask(umask);
      }
    }
  }
}

async function profile(file: string, seconds: number): Promise<string> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.start');
    await pause(seconds * 1_000);
    const { profile: taken } = await session.post('Profiler.stop');
    await fs.writeFile(file, JSON.stringify(taken), { mode: OWNER_ONLY });
    return file;
  } finally {
    session.disconnect();
  }
}

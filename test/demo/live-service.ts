import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../src/dev/free-port.js';

export interface LiveService {
  readonly url: string;
  readonly managementKey: string;
  stop(): Promise<void>;
}

/**
 * The service named by BASE_URL and MANAGEMENT_KEY, or a new one: the built `dist` with a temporary embedded database.
 */
export async function liveService(env: Record<string, string> = {}): Promise<LiveService> {
  const { BASE_URL, MANAGEMENT_KEY } = process.env;
  if (BASE_URL && MANAGEMENT_KEY) {
    return { url: BASE_URL, managementKey: MANAGEMENT_KEY, stop: () => Promise.resolve() };
  }
  const dataDir = await mkdtemp(join(tmpdir(), 'demo-'));
  const managementKey = `mk_${randomBytes(24).toString('hex')}`;
  const port = await freePort();
  console.log('Starting the service on a temporary PostgreSQL of its own, and waiting until it is ready …');
  // Browsers know no passkeys of an address.
  const url = `http://localhost:${port}`;
  const child = spawn(process.execPath, ['dist/src/main.js'], {
    env: {
      PATH: process.env['PATH'],
      PORT: String(port),
      BASE_URL: url,
      DATA_DIR: dataDir,
      MANAGEMENT_KEY: managementKey,
      LOG_LEVEL: 'warn',
      DRAIN_SECONDS: '0',
      ...env,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  // A demo that fails must not leave it running.
  process.once('exit', () => child.kill('SIGKILL'));
  await answering(child, `${url}/readyz`);
  return {
    url,
    managementKey,
    stop: async () => {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await gone;
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function answering(child: ChildProcess, url: string): Promise<void> {
  for (let tries = 0; tries < 1_200; tries++) {
    if (child.exitCode !== null) throw new Error(`The service ended with code ${child.exitCode} before it was ready.`);
    const ready = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (ready) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('The service was not ready within two minutes.');
}

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { say } from './figures.js';

const PEERS = join(import.meta.dirname, 'peers');

/** The other services of the benchmarks, which no test needs. */
export async function installPeers(): Promise<void> {
  if (existsSync(join(PEERS, 'node_modules/.package-lock.json'))) return;
  say('Installing the peers (npm ci) …');
  await npm('ci', '--prefix', PEERS);
}

export async function npm(...args: string[]): Promise<void> {
  await promisify(execFile)('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error']);
}

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from './free-port.js';

const LOCAL_CHAIN_ID = 31_337;
const PACKAGE = '@foundry-rs/anvil-linux-amd64/bin/anvil';
const START_MS = 10_000;

/** Ends the node when this process ends, also when it is killed: its end of the pipe closes then. */
const WATCH = '"$@" <&- & cat >/dev/null; kill -TERM $! 2>/dev/null; wait';

/** A local Ethereum network for development. Its first accounts have funds and public keys. */
export interface LocalChain {
  readonly url: string;
  readonly chainId: number;
  stop(): Promise<void>;
}

/**
 * Starts the node that npm has installed; its state stays in `dataDir`. Processes with one `dataDir` use one node, which ends with the
 * process that started it. Null where it is not installed. Throws when it does not start.
 */
export async function startLocalChain(dataDir: string): Promise<LocalChain | null> {
  const binary = installedNode();
  if (!binary) return null;
  mkdirSync(dataDir, { recursive: true });
  const port = await portOf(dataDir);
  const chain = { url: `http://127.0.0.1:${port}`, chainId: LOCAL_CHAIN_ID };
  if ((await chainIdAt(port)) === LOCAL_CHAIN_ID) return { ...chain, stop: () => Promise.resolve() };
  const node = spawnNode(binary, port, join(dataDir, 'ethereum.json'));
  const ended = new Promise((resolve) => node.once('exit', resolve).once('error', resolve));
  const stop = async (): Promise<void> => {
    node.stdin?.end();
    await ended;
  };
  // Of two that start at once, one gets the port, and both use its node.
  for (const since = performance.now(); performance.now() - since < START_MS; await pause(50))
    if ((await chainIdAt(port)) === LOCAL_CHAIN_ID) return { ...chain, stop };
    else if (node.exitCode !== null) break;
  await stop();
  throw new Error(`The local Ethereum node does not start: ${binary} with its state in ${dataDir}.`);
}

function spawnNode(binary: string, port: number, state: string): ChildProcess {
  const args = ['--port', `${port}`, '--chain-id', `${LOCAL_CHAIN_ID}`, '--silent'];
  // Its own process group, so that Ctrl+C in a terminal does not end it before the service.
  return spawn('/bin/sh', ['-c', WATCH, 'sh', binary, ...args, '--state', state, '--state-interval', '10'], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
}

function installedNode(): string | null {
  try {
    return createRequire(import.meta.url).resolve(PACKAGE);
  } catch {
    return null;
  }
}

/** The port of the node with this directory: the one in its file, unless another program uses that now. */
async function portOf(dataDir: string): Promise<number> {
  const file = join(dataDir, 'ethereum.port');
  try {
    writeFileSync(file, `${await freePort()}`, { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const known = Number(readFileSync(file, 'utf8'));
  if ((await chainIdAt(known)) === LOCAL_CHAIN_ID || (await isFree(known))) return known;
  const port = await freePort();
  writeFileSync(file, `${port}`);
  return port;
}

async function isFree(port: number): Promise<boolean> {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return false;
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** Null where no Ethereum node answers. By node:http, because the first use of fetch takes memory for as long as the process runs. */
function chainIdAt(port: number): Promise<number | null> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve) => {
    const none = (): void => resolve(null);
    const call = request(
      { host: '127.0.0.1', port, method: 'POST', headers, timeout: 1_000, agent: false },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part: string) => (text += part));
        answer.on('error', none).on('end', () => {
          const [, hex] = /"result":"(0x[0-9a-f]+)"/.exec(text) ?? [];
          resolve(hex === undefined ? null : Number(hex));
        });
      },
    );
    call
      .on('timeout', () => call.destroy())
      .on('error', none)
      .end(body);
  });
}

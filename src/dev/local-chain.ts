import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ENDS_WITH_PARENT } from './ends-with-parent.js';
import { freePort } from './free-port.js';

const LOCAL_CHAIN_ID = 31_337;
const PACKAGE = '@foundry-rs/anvil-linux-amd64/bin/anvil';
const START_MS = 10_000;
/** The node makes a first block at each start and stores all of them, so each must be the same. Unix seconds. */
const FIRST_BLOCK = 1_700_000_000;

export interface LocalChain {
  readonly url: string;
  readonly chainId: number;
  stop(): Promise<void>;
}

/** Processes with one `dataDir` share a node, which ends with the process that started it. Null if none is installed. */
export async function startLocalChain(dataDir: string): Promise<LocalChain | null> {
  const binary = installedNode();
  if (!binary) return null;
  mkdirSync(dataDir, { recursive: true });
  const port = await portOf(dataDir);
  const chain = { url: `http://127.0.0.1:${port}`, chainId: LOCAL_CHAIN_ID };
  if ((await chainIdAt(port)) === LOCAL_CHAIN_ID) return { ...chain, stop: () => Promise.resolve() };
  const log = join(dataDir, 'ethereum.log');
  const node = spawnNode(binary, port, join(dataDir, 'ethereum.json'), log);
  let hasEnded = false;
  const ended = new Promise((resolve) => node.once('exit', resolve).once('error', resolve)).then(() => {
    hasEnded = true;
  });
  const stop = async (): Promise<void> => {
    node.stdin?.end();
    await ended;
  };
  // One of two nodes that start at once gets the port, and both processes use it.
  for (const since = performance.now(); performance.now() - since < START_MS; await pause(50))
    if ((await chainIdAt(port)) === LOCAL_CHAIN_ID) {
      // A wrong clock is no reason to do without the network.
      await call(port, 'evm_setTime', Math.floor(Date.now() / 1_000)).catch(() => undefined);
      return { ...chain, stop };
    } else if (hasEnded && (await freePort(port)) === port) break;
  await stop();
  const words = readFileSync(log, 'utf8').trim();
  throw new Error(`The local Ethereum node does not start: ${binary} with its state in ${dataDir}. ${words}`);
}

/** The last account pays: no wallet of the demo app has its key. */
export async function fundOnLocalChain(dataDir: string, address: string, wei: bigint) {
  const file = join(dataDir, 'ethereum.port');
  const port = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  if ((await chainIdAt(port)) !== LOCAL_CHAIN_ID)
    throw new Error('The local Ethereum network does not run. Start the service first: npm start');
  const accounts = (await call(port, 'eth_accounts')) as string[];
  // The node makes a block for each transaction, but responds before.
  const payment = { from: accounts.at(-1), to: address, value: `0x${wei.toString(16)}` };
  const hash = (await call(port, 'eth_sendTransaction', payment)) as string;
  while ((await call(port, 'eth_getTransactionReceipt', hash)) === null) await pause(20);
  return { hash, balance: BigInt((await call(port, 'eth_getBalance', address, 'latest')) as string) };
}

function spawnNode(binary: string, port: number, state: string, logFile: string): ChildProcess {
  const network = ['--chain-id', `${LOCAL_CHAIN_ID}`, '--timestamp', `${FIRST_BLOCK}`];
  const args = ['--port', `${port}`, ...network, '--silent'];
  // The log is no pipe: a node that writes to a pipe whose reader was killed would end before it has stored its state.
  const log = openSync(logFile, 'w', 0o600);
  // A process group of its own, so that Ctrl+C does not end the node before the service.
  const form = { stdio: ['pipe', 'ignore', log] satisfies StdioOptions, detached: true };
  const command = [binary, ...args, '--state', state, '--state-interval', '10'];
  const node = spawn('/bin/sh', ['-c', ENDS_WITH_PARENT, 'sh', ...command], form);
  closeSync(log);
  return node;
}

function installedNode(): string | null {
  try {
    return createRequire(import.meta.url).resolve(PACKAGE);
  } catch {
    return null;
  }
}

async function portOf(dataDir: string): Promise<number> {
  const file = join(dataDir, 'ethereum.port');
  try {
    writeFileSync(file, `${await freePort()}`, { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const known = Number(readFileSync(file, 'utf8'));
  if ((await chainIdAt(known)) === LOCAL_CHAIN_ID) return known;
  // An end of the process may have left the file empty.
  const port = await freePort(known || undefined);
  if (port !== known) writeFileSync(file, `${port}`);
  return port;
}

async function chainIdAt(port: number): Promise<number | null> {
  const id = await call(port, 'eth_chainId').catch(() => null);
  return typeof id === 'string' ? Number(id) : null;
}

/** Uses node:http, because the first use of fetch takes memory permanently. */
function call(port: number, method: string, ...params: unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, method: 'POST', headers, timeout: 1_000, agent: false },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part: string) => (text += part));
        answer.on('error', reject).on('end', () => {
          try {
            const { result, error } = JSON.parse(text) as { result?: unknown; error?: { message: string } };
            if (error) throw new Error(`The local Ethereum node refuses ${method}: ${error.message}`);
            resolve(result);
          } catch (fault) {
            reject(fault as Error);
          }
        });
      },
    );
    sent
      .on('timeout', () => sent.destroy(new Error(`The local Ethereum node does not answer ${method}.`)))
      .on('error', reject)
      .end(body);
  });
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

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

/** Starts the node that npm has installed; its state stays in `dataDir`. Null where it is not installed or does not start. */
export async function startLocalChain(dataDir: string): Promise<LocalChain | null> {
  const binary = installedNode();
  if (!binary) return null;
  mkdirSync(dataDir, { recursive: true });
  const port = await freePort();
  const args = ['--port', `${port}`, '--chain-id', `${LOCAL_CHAIN_ID}`, '--silent'];
  const state = ['--state', join(dataDir, 'ethereum.json'), '--state-interval', '10'];
  // Its own process group, so that Ctrl+C in a terminal does not end it before the service.
  const child = spawn('/bin/sh', ['-c', WATCH, 'sh', binary, ...args, ...state], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  const ended = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.stdin.end();
    await ended;
  };
  for (const since = performance.now(); performance.now() - since < START_MS; await pause(50))
    if (await accepts(port)) return { url: `http://127.0.0.1:${port}`, chainId: LOCAL_CHAIN_ID, stop };
  await stop();
  return null;
}

function installedNode(): string | null {
  try {
    return createRequire(import.meta.url).resolve(PACKAGE);
  } catch {
    return null;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

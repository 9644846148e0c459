import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, Server, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../src/dev/free-port.js';
import { runCommand } from '../../src/cli/run-command.js';
import { startLocalChain } from '../../src/dev/local-chain.js';
import { EXAMPLES } from '../../src/kernel/examples.js';
import type { Terminal } from '../../src/services/cli/terminal.js';
import { eventually } from '../support/eventually.js';

const dataDir = mkdtempSync(join(tmpdir(), 'chain-'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

async function call(url: string, method: string, ...params: unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return ((await response.json()) as { result: unknown }).result;
}

it('the local chain funds the wallet of the examples, keeps its state, and has ended when it is stopped', async () => {
  const first = (await startLocalChain(dataDir))!;
  expect(await call(first.url, 'eth_getBalance', EXAMPLES.address, 'latest')).toBe('0x21e19e0c9bab2400000');
  const payment = { from: EXAMPLES.address, to: EXAMPLES.otherAddress, value: '0x1' };
  const hash = await call(first.url, 'eth_sendTransaction', payment);
  // The node responds before its block has the payment, and forgets a payment without a block.
  await eventually(async () => expect(await call(first.url, 'eth_getTransactionReceipt', hash)).not.toBeNull());
  await first.stop();
  await expect(call(first.url, 'eth_chainId')).rejects.toThrow();
  const second = (await startLocalChain(dataDir))!;
  expect(await call(second.url, 'eth_getTransactionCount', EXAMPLES.address, 'latest')).toBe('0x1');
  await second.stop();
});

it('the local chain keeps its first block when it starts again, and its clock is right', async () => {
  const data = mkdtempSync(join(dataDir, 'again-'));
  const firstBlocks = new Set<unknown>();
  for (let start = 0; start < 4; start++) {
    const { url, stop } = (await startLocalChain(data))!;
    firstBlocks.add(((await call(url, 'eth_getBlockByNumber', '0x0', false)) as { hash: string }).hash);
    await call(url, 'anvil_mine');
    const newest = (await call(url, 'eth_getBlockByNumber', 'latest', false)) as { timestamp: string };
    expect(Math.abs(Date.now() / 1_000 - Number(newest.timestamp))).toBeLessThan(60);
    await stop();
  }
  expect(firstBlocks.size).toBe(1);
});

it('processes with one directory use one node, also when they start at once', async () => {
  const [one, other] = await Promise.all([startLocalChain(dataDir), startLocalChain(dataDir)]);
  const joined = (await startLocalChain(dataDir))!;
  expect([other!.url, joined.url]).toEqual([one!.url, one!.url]);
  await joined.stop();
  expect(await call(one!.url, 'eth_chainId')).toBe('0x7a69');
  await Promise.all([one!.stop(), other!.stop()]);
  await expect(call(one!.url, 'eth_chainId')).rejects.toThrow();
});

it('the command `fund` sends ether on the running network, and says when none runs', async () => {
  const lines: string[] = [];
  const terminal: Terminal = { out: (text) => lines.push(text), err: (text) => lines.push(text) };
  const env = { NODE_ENV: 'development', DATA_DIR: dataDir };
  const fund = (...operands: string[]) => runCommand(['fund', ...operands, '--json'], { env, terminal });
  expect(await fund(EXAMPLES.otherAddress, '1.5')).toBe(1);
  expect(lines.join('')).toContain('npm start');
  const chain = (await startLocalChain(dataDir))!;
  const before = BigInt((await call(chain.url, 'eth_getBalance', EXAMPLES.otherAddress, 'latest')) as string);
  expect(await fund(EXAMPLES.otherAddress, '1.5')).toBe(0);
  const after = BigInt((await call(chain.url, 'eth_getBalance', EXAMPLES.otherAddress, 'latest')) as string);
  expect(after - before).toBe(1_500_000_000_000_000_000n);
  for (const wrong of [[], ['0x12', '1'], [EXAMPLES.otherAddress, 'much'], [EXAMPLES.otherAddress, '0']])
    expect(await fund(...wrong)).toBe(64);
  await chain.stop();
});

it('an empty file of the port, which a process that ended has left, gets a port', async () => {
  writeFileSync(join(dataDir, 'ethereum.port'), '');
  const chain = (await startLocalChain(dataDir))!;
  expect(chain.url).not.toMatch(/:0(\/|$)/);
  expect(await call(chain.url, 'eth_chainId')).toBe('0x7a69');
  await chain.stop();
});

it('another program on the port of the local chain is left alone', async () => {
  const stranger = createServer((socket) => socket.end('220 ready\r\n')).listen(0, '127.0.0.1');
  await once(stranger, 'listening');
  const { port } = stranger.address() as AddressInfo;
  writeFileSync(join(dataDir, 'ethereum.port'), `${port}`);
  const chain = (await startLocalChain(dataDir))!;
  expect(chain.url).not.toContain(`:${port}`);
  expect(await call(chain.url, 'eth_chainId')).toBe('0x7a69');
  await chain.stop();
  stranger.close();
});

it('a local chain whose state cannot be read is an error that says so', async () => {
  writeFileSync(join(dataDir, 'ethereum.json'), 'no state');
  await expect(startLocalChain(dataDir)).rejects.toThrow(/does not start.*failed to parse/s);
});

it('a machine on which nothing may listen is an error with its reason', async () => {
  const listening = jest.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server) {
    process.nextTick(() => this.emit('error', new Error('listen EPERM')));
    return this;
  });
  try {
    await expect(freePort(3000)).rejects.toThrow('listen EPERM');
    expect(listening).toHaveBeenCalledTimes(1);
  } finally {
    listening.mockRestore();
  }
});

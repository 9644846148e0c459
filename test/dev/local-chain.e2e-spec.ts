import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startLocalChain } from '../../src/dev/local-chain.js';
import { EXAMPLES } from '../../src/kernel/examples.js';

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
  await call(first.url, 'eth_sendTransaction', { from: EXAMPLES.address, to: EXAMPLES.otherAddress, value: '0x1' });
  await first.stop();
  await expect(call(first.url, 'eth_chainId')).rejects.toThrow();
  const second = (await startLocalChain(dataDir))!;
  expect(await call(second.url, 'eth_getTransactionCount', EXAMPLES.address, 'latest')).toBe('0x1');
  await second.stop();
});

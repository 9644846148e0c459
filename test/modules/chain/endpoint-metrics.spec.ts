import { Chains } from '../../../src/kernel/chain/chain.js';
import { EndpointChecks } from '../../../src/modules/chain/endpoint-checks.js';
import { EndpointMetrics, NodeWatch } from '../../../src/modules/chain/infrastructure/endpoint-comparison.js';
import { EthereumChain } from '../../../src/modules/chain/infrastructure/ethereum/ethereum-chain.js';
import { SolanaChain } from '../../../src/modules/chain/infrastructure/solana/solana-chain.js';
import { HttpMetrics } from '../../../src/services/observability/metrics.js';
import { Anvil } from '../../support/anvil.js';
import { ChainProxy } from '../../support/chain-proxy.js';
import { SolanaRuntime } from '../../support/solana-runtime.js';

const closing: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of closing.splice(0).reverse()) await each.stop();
});

async function opened<T extends { stop(): Promise<void> }>(starting: Promise<T>): Promise<T> {
  const each = await starting;
  closing.push(each);
  return each;
}

const proxyOf = (node: { readonly url: string }) => opened(ChainProxy.start(node.url));

function measured(name: 'ethereum' | 'solana', endpoints: readonly { readonly url: string }[]) {
  const http = new HttpMetrics();
  const watch = new NodeWatch(name, { info: () => {}, warn: () => {} }, undefined, new EndpointMetrics(http));
  const urls = endpoints.map(({ url }) => `${url}/?key=a-key-in-the-url`);
  const chain =
    name === 'ethereum'
      ? new EthereumChain({ urls, chainId: 31_337, timeoutMs: 60_000 }, watch)
      : new SolanaChain({ urls, maxFeeLamports: 1_000_000n, timeoutMs: 60_000 }, watch);
  /** The values of a metric by position. */
  const values = async (metric: string): Promise<number[]> => {
    const text = await http.registry.metrics();
    expect(text).not.toMatch(/a-key-in-the-url|127\.0\.0\.1/);
    return [...text.matchAll(new RegExp(`^${metric}\\{chain="${name}",endpoint="(\\d)"\\} (\\d+)$`, 'gm'))].map(
      ([, position, value], index) => {
        expect(Number(position)).toBe(index + 1);
        return Number(value);
      },
    );
  };
  return { chain, values };
}

it('measures an endpoint that is behind, one that fails, and one on another fork or network, by position', async () => {
  const shared = { blockTime: 'never', timestamp: 1_700_000_000 } as const;
  const [anvil, fork] = [await opened(Anvil.start(shared)), await opened(Anvil.start(shared))];
  await anvil.mine(10);
  await fork.call('anvil_setCoinbase', `0x${'11'.repeat(20)}`);
  await fork.mine(9);
  const [behind, failing] = [await proxyOf(anvil), await proxyOf(anvil)];
  behind.answer = (method) => (method === 'eth_blockNumber' ? '0x7' : undefined);
  failing.fault = () => 'unavailable';
  const { chain, values } = measured('ethereum', [anvil, behind, failing, fork]);
  expect(await values('chain_endpoint_height')).toEqual([0, 0, 0, 0]);
  expect(await values('chain_endpoint_lag_blocks')).toEqual([0, 0, 0, 0]);
  expect(await values('chain_endpoint_errors_total')).toEqual([0, 0, 0, 0]);
  expect(await values('chain_endpoint_agrees')).toEqual([1, 1, 1, 1]);

  await chain.checkEndpoints();
  expect(await values('chain_endpoint_height')).toEqual([10, 7, 0, 9]);
  expect(await values('chain_endpoint_lag_blocks')).toEqual([0, 3, 10, 1]);
  expect(await values('chain_endpoint_errors_total')).toEqual([0, 0, 1, 0]);
  expect(await values('chain_endpoint_agrees')).toEqual([1, 1, 1, 0]);

  failing.fault = () => null;
  failing.answer = (method) => (method === 'eth_chainId' ? '0x1' : undefined);
  behind.answer = () => undefined;
  behind.fault = () => 'request_lost';
  await anvil.mine();
  await chain.checkEndpoints();
  expect(await values('chain_endpoint_height')).toEqual([11, 7, 0, 9]);
  expect(await values('chain_endpoint_lag_blocks')).toEqual([0, 4, 11, 2]);
  expect(await values('chain_endpoint_errors_total')).toEqual([0, 1, 2, 0]);
  // Two endpoints respond, and neither has a majority.
  expect(await values('chain_endpoint_agrees')).toEqual([0, 1, 0, 0]);
});

it('counts each failed read of an only endpoint', async () => {
  const proxy = await proxyOf(await opened(Anvil.start({ blockTime: 'never' })));
  const { chain, values } = measured('ethereum', [proxy]);
  await chain.checkEndpoints();
  proxy.fault = () => 'unavailable';
  await expect(chain.nonces(`0x${'11'.repeat(20)}`)).rejects.toThrow();
  expect(await values('chain_endpoint_errors_total')).toEqual([1]);
  expect(await values('chain_endpoint_agrees')).toEqual([1]);
});

it('compares Solana endpoints by the block of a final slot', async () => {
  const runtime = await opened(SolanaRuntime.start());
  runtime.advance(40);
  const [first, second] = [await proxyOf(runtime), await proxyOf(runtime)];
  const { chain, values } = measured('solana', [first, second]);
  await chain.checkEndpoints();
  const [height, ...heights] = await values('chain_endpoint_height');
  expect(height).toBeGreaterThan(0);
  expect(heights).toEqual([height]);
  expect(await values('chain_endpoint_errors_total')).toEqual([0, 0]);
  expect(await values('chain_endpoint_agrees')).toEqual([1, 1]);
  second.change = (method, result) =>
    method === 'getBlock' ? { ...(result as object), blockhash: '1'.repeat(32) } : result;
  await chain.checkEndpoints();
  expect(await values('chain_endpoint_agrees')).toEqual([0, 0]);
});

it('compares endpoints at the start, and twice a minute until the process stops', () => {
  jest.useFakeTimers();
  try {
    const chains = new Chains([]);
    const compared = jest.spyOn(chains, 'checkEndpoints');
    const checks = new EndpointChecks(chains);
    checks.begin();
    expect(compared).toHaveBeenCalledTimes(1);
    jest.advanceTimersByTime(60_000);
    expect(compared).toHaveBeenCalledTimes(3);
    checks.onApplicationShutdown();
    jest.advanceTimersByTime(120_000);
    expect(compared).toHaveBeenCalledTimes(3);
  } finally {
    jest.useRealTimers();
  }
});

import { Chains } from '../../../src/kernel/chain/chain.js';
import { Anvil } from '../../support/anvil.js';
import { startApp, type TestApp } from '../../support/app.js';

const CHAIN = { chainId: 424_242, timestamp: 1_767_225_600, blockTime: 'never' } as const;
const BLOCKS = 100;

let nodes: Anvil[];
let app: TestApp;
beforeAll(async () => {
  // The first two are one chain up to its first block, which both know; the third is another one.
  nodes = await Promise.all([Anvil.start(CHAIN), Anvil.start(CHAIN), Anvil.start({ ...CHAIN, chainId: 7 })]);
  await nodes[0]!.mine(BLOCKS);
  const rpc = [...nodes.map(({ url }) => url), 'http://127.0.0.1:9'];
  const local = { id: 'eip155:424242', kind: 'ethereum', rpc, explorer: 'https://scan.example/tx/{hash}' };
  app = await startApp({ env: { NETWORKS: JSON.stringify({ local }) } });
});
afterAll(async () => {
  await app?.stop();
  await Promise.all(nodes.map((node) => node.stop()));
});

describe('the networks that operators read', () => {
  it('have the height of each node, and whether it lags, is on another chain or does not respond', async () => {
    await app.nest.get(Chains, { strict: false }).checkEndpoints();
    const { status, body } = await app.call('GET', '/management/v1/networks', { key: app.managementKey });
    expect(status).toBe(200);
    expect(body.networks.find(({ name }: { name: string }) => name === 'local')).toEqual({
      name: 'local',
      id: 'eip155:424242',
      kind: 'ethereum',
      wallet_type: 'ethereum',
      native_currency: { symbol: 'ETH', decimals: 18 },
      explorer: 'https://scan.example/tx/{hash}',
      status: 'degraded',
      endpoints: [
        { status: 'ok', height: BLOCKS, fault: null },
        { status: 'lags', height: 0, fault: null },
        { status: 'differs', height: null, fault: 'The node is on chain 7; the service is configured for 424242.' },
        { status: 'unavailable', height: null, fault: 'The node cannot be reached: ECONNREFUSED.' },
      ],
    });
  });
});

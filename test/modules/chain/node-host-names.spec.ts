import { pbkdf2 } from 'node:crypto';
import { promisify } from 'node:util';
import { NATIVE_ASSETS } from '../../support/native-assets.js';
import { ChainUnavailable } from '../../../src/kernel/chain/chain.errors.js';
import { NodeCalls } from '../../../src/kernel/chain/node-calls.js';
import { newId } from '../../../src/kernel/ids.js';
import { EthereumChain } from '../../../src/modules/chain/infrastructure/ethereum/ethereum-chain.js';
import { SolanaChain } from '../../../src/modules/chain/infrastructure/solana/solana-chain.js';
import { EthereumNodeUnavailable } from '../../../src/modules/wallet/login/domain/registration.js';
import { ContractSignatures } from '../../../src/modules/wallet/login/infrastructure/contract-signatures.js';
import { HostNames } from '../../../src/services/outbound/host-names.js';
import { Anvil } from '../../support/anvil.js';
import { ChainProxy } from '../../support/chain-proxy.js';
import { type NameServer, startNameServer } from '../../support/name-server.js';
import { SolanaRuntime } from '../../support/solana-runtime.js';
import { newAddress } from '../../support/money.js';

let anvil: Anvil;
let solana: SolanaRuntime;
let proxies: { ethereum: ChainProxy; solana: ChainProxy };
let server: NameServer;
let names: HostNames;
beforeAll(async () => {
  anvil = await Anvil.start();
  solana = await SolanaRuntime.start();
});
afterAll(() => Promise.all([anvil.stop(), solana.stop()]));
beforeEach(async () => {
  proxies = { ethereum: await ChainProxy.start(anvil.url), solana: await ChainProxy.start(solana.url) };
  server = await startNameServer({ 'node.test': ['127.0.0.1'], 'silent.test': 'silent' });
  names = new HostNames({ dnsServers: [server.address] });
});
afterEach(() => Promise.all([proxies.ethereum.stop(), proxies.solana.stop(), server.stop()]));

/** What the service asks of the nodes on a host, by who asks. */
function clients(host: string): Record<Client, () => Promise<unknown>> {
  const at = (proxy: ChainProxy) => [proxy.url.replace('127.0.0.1', host)];
  const ethereum = new EthereumChain({ urls: at(proxies.ethereum), chainId: anvil.chainId }, undefined, names);
  const sol = new SolanaChain({ urls: at(proxies.solana), maxFeeLamports: 1_000_000n }, undefined, names);
  const network = { name: 'ethereum', kind: 'ethereum', rpc: at(proxies.ethereum) } as const;
  const signatures = new ContractSignatures({ networks: [network] }, new NodeCalls(['ethereum']), names);
  const message = { address: newAddress('ethereum'), message: 'hello', signature: '0x' };
  return {
    ethereum: () => ethereum.balance(newAddress('ethereum'), NATIVE_ASSETS.ethereum),
    solana: () => sol.balance(newAddress('solana'), NATIVE_ASSETS.solana),
    signatures: () => signatures.isValid(newId('app'), 'ethereum', message),
  };
}
const CLIENTS = ['ethereum', 'solana', 'signatures'] as const;
type Client = (typeof CLIENTS)[number];
const proxyOf = (client: Client) => proxies[client === 'solana' ? 'solana' : 'ethereum'];

it.each(CLIENTS)(
  '%s calls reach the address that the configured name server gives, over connections that are kept',
  async (client) => {
    const ask = clients('node.test')[client];
    await ask();
    // Once for each address family; again only if the process was paused for longer than a name server may take.
    const { length } = server.asked;
    // The first call to an Ethereum node asks beside its question which network that is.
    const opened = proxyOf(client).connections;
    expect(opened).toBeLessThanOrEqual(client === 'ethereum' ? 2 : 1);
    expect(length).toBeGreaterThanOrEqual(2);
    for (let i = 0; i < 4; i++) await ask();
    expect(proxyOf(client).connections).toBe(opened);
    expect(server.asked).toEqual(Array(length).fill('node.test'));
  },
);

it.each(CLIENTS)('%s calls to a host whose name server is silent fail, and hold up no other work', async (client) => {
  const Unavailable = client === 'signatures' ? EthereumNodeUnavailable : ChainUnavailable;
  const ask = clients('silent.test')[client];
  const failed = Promise.all(Array.from({ length: 20 }, () => expect(ask()).rejects.toThrow(Unavailable)));
  await Promise.all([clients('node.test')[client](), promisify(pbkdf2)('x', 'y', 1, 32, 'sha256')]);
  await failed;
  // Resolved outside the thread pool: two families, two tries for all calls together, and none after the failure.
  const asked = server.asked.filter((name) => name === 'silent.test').length;
  expect(asked).toBeGreaterThan(0);
  expect(asked).toBeLessThanOrEqual(4);
  await expect(ask()).rejects.toThrow(Unavailable);
  expect(server.asked.filter((name) => name === 'silent.test')).toHaveLength(asked);
});

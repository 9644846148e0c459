import type { WalletType } from '../../src/kernel/chain/chain-name.js';
import { computeAddress, encodeBase58, hexlify } from 'ethers';
import { createHash, createPrivateKey, createPublicKey, randomBytes } from 'node:crypto';
import type { DestinationStream } from 'pino';
import { Database } from '../../src/postgres/database.js';
import { EndpointChecks } from '../../src/modules/chain/index.js';
import { Tracker } from '../../src/modules/transfer/tracking/tracker.js';
import { Anvil, type AnvilSettings } from './anvil.js';
import { type Answer, MANAGEMENT_KEY, startApp, type TestApp } from './app.js';
import { ChainProxy } from './chain-proxy.js';
import { eventually } from './eventually.js';
import type { GivenApp } from './given.js';
import { SolanaRuntime, type SolanaSettings } from './solana-runtime.js';

export const ETH = 10n ** 18n;
export const SOL = 10n ** 9n;

/** A node of the EVM network that replaces Anvil. */
export interface EvmNode {
  readonly url: string;
  readonly chainId: number;
  fund(address: string, wei: bigint): Promise<void>;
  balance(address: string): Promise<bigint>;
}

export interface MoneySettings {
  /** The network named `ethereum`, as in NETWORKS; absent: Anvil, of the kind `ethereum`. The test stops its node. */
  readonly network?: { readonly node: EvmNode; readonly kind: string } & Readonly<Record<string, unknown>>;
  readonly ethereum?: AnvilSettings;
  readonly solana?: SolanaSettings;
  readonly env?: Record<string, string>;
  /** A database that replaces a new one of the test server. */
  readonly databaseUrl?: string;
  readonly log?: DestinationStream;
}

/** A funded wallet of an app on a chain. */
export interface Payer {
  readonly app: GivenApp;
  readonly chain: WalletType;
  readonly userId: string;
  readonly walletId: string;
  readonly address: string;
}

/** The service with both chains, each behind a proxy that can make calls fail. */
export class Money {
  private constructor(
    readonly app: TestApp,
    readonly anvil: Anvil,
    private readonly evm: EvmNode,
    readonly solana: SolanaRuntime,
    readonly proxies: Readonly<Record<WalletType, ChainProxy>>,
    /** Additional configuration of its replicas. */
    readonly env: Readonly<Record<string, string>>,
  ) {}

  static async start({
    ethereum,
    solana: solanaSettings,
    env = {},
    network,
    databaseUrl,
    log,
  }: MoneySettings = {}): Promise<Money> {
    const anvil = await Anvil.start(ethereum);
    const solana = await SolanaRuntime.start({ slotMs: 25, finalizedAfter: 4, ...solanaSettings });
    const evm = network?.node ?? anvil;
    const proxies = { ethereum: await ChainProxy.start(evm.url), solana: await ChainProxy.start(solana.url) };
    const all = {
      ...ethereumAt(proxies.ethereum.url, evm.chainId, network),
      SOLANA_RPC_URL: proxies.solana.url,
      TRANSFER_CONFIRM_WAIT_SECONDS: '10',
      DEPOSITS: 'off',
      MANAGEMENT_KEY,
      MASTER_KEYS: `money:${createHash('sha256').update('the master key of money').digest('base64')}`,
      ...env,
    };
    const app = await startApp({ env: all, databaseUrl, log });
    // Tests count the calls that reach a node.
    app.nest.get(EndpointChecks, { strict: false }).onApplicationShutdown();
    return new Money(app, anvil, evm, solana, proxies, all);
  }

  /** Another instance of the service on the same database. */
  replica(env: Record<string, string> = {}): Promise<TestApp> {
    return startApp({ databaseUrl: this.app.databaseUrl, env: { ...this.env, ...env } });
  }

  /** Has the tracker look at all pending transfers at its next poll, also at those that are not due. */
  async look(): Promise<void> {
    await this.app.nest
      .get(Database, { strict: false })
      .write(`update transfers set next_check_at = now() where status = 'pending'`);
  }

  /** Runs `work` while the tracker is stopped, after its running checks have ended. */
  async withoutTracker(work: () => Promise<void>): Promise<void> {
    const tracker = this.app.nest.get(Tracker, { strict: false });
    await tracker.beforeApplicationShutdown();
    try {
      await work();
    } finally {
      tracker.onApplicationBootstrap();
    }
  }

  async stop(): Promise<void> {
    await this.app.stop();
    for (const proxy of Object.values(this.proxies)) await proxy.stop();
    await this.anvil.stop();
    await this.solana.stop();
  }

  /** A new user's wallet with this balance. */
  async payer(chain: WalletType, coins = 10n, app?: GivenApp): Promise<Payer> {
    const owner = app ?? (await this.app.given.app());
    const { user_id: userId } = await this.app.given.user(owner, { wallet_type: chain });
    const { body } = await this.app.call('GET', '/v1/wallets/list', {
      key: owner.secretKey,
      query: { user_id: userId },
    });
    const { id: walletId, public_address: address } = body.wallets[0];
    await this.fund(chain, address, coins);
    return { app: owner, chain, userId, walletId, address };
  }

  async fund(chain: WalletType, address: string, coins: bigint): Promise<void> {
    if (chain === 'ethereum') await this.evm.fund(address, coins * ETH);
    else this.solana.fund(address, coins * SOL);
  }

  /** The balance of an address in its chain's coin. */
  async balance(chain: WalletType, address: string): Promise<bigint> {
    return chain === 'ethereum' ? this.evm.balance(address) : this.solana.balance(address);
  }

  create(payer: Payer, fields: Record<string, unknown> = {}, app = this.app): Promise<Answer> {
    return app.call('POST', '/v1/transfers/create', {
      key: payer.app.secretKey,
      body: {
        source: payer.walletId,
        dest: newAddress(payer.chain),
        source_amount: '0.5',
        source_currency: payer.chain,
        dest_currency: payer.chain,
        ...fields,
      },
    });
  }

  /** The created transfer. Throws if it was refused. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests reach into answers as clients do
  async created(payer: Payer, fields: Record<string, unknown> = {}): Promise<any> {
    const { status, body, text } = await this.create(payer, fields);
    if (status !== 200) throw new Error(`The transfer was not created: ${text}`);
    return body;
  }

  confirm(payer: Payer, id: string, body: Record<string, unknown> = {}, app = this.app): Promise<Answer> {
    return app.call('POST', `/v1/transfers/${id}/confirm`, { key: payer.app.secretKey, body });
  }

  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- as above
  async get(payer: Payer, id: string): Promise<any> {
    return (await this.app.call('GET', `/v1/transfers/${id}`, { key: payer.app.secretKey })).body;
  }

  /** Waits until the transfer has this status, and returns it. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- as above
  async become(payer: Payer, id: string, status: string): Promise<any> {
    return eventually(async () => {
      const transfer = await this.get(payer, id);
      if (transfer.status !== status) throw new Error(`The transfer is ${transfer.status}, ${transfer.stage}.`);
      return transfer;
    });
  }
}

function ethereumAt(url: string, chainId: number, network: MoneySettings['network']): Record<string, string> {
  if (!network) {
    return { ETHEREUM_RPC_URL: url, ETHEREUM_CHAIN_ID: String(chainId), ETHEREUM_FINALITY_DEPTH: '0' };
  }
  const { node: _, ...settings } = network;
  return { NETWORKS: JSON.stringify({ ethereum: { id: `eip155:${chainId}`, rpc: [url], finality: 0, ...settings } }) };
}

/** The address of a discarded key. */
export function newAddress(chain: WalletType): string {
  const seed = randomBytes(32);
  if (chain === 'ethereum') return computeAddress(hexlify(seed));
  const key = createPrivateKey({
    key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]),
    format: 'der',
    type: 'pkcs8',
  });
  return encodeBase58(createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32));
}

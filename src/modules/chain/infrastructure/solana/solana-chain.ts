import { type Address, isAddress, isOffCurveAddress } from '@solana/kit';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import type { Asset } from '../../../../kernel/chain/asset.js';
import type { Nonces, PaymentSearch, Prepare } from '../../../../kernel/chain/chain.js';
import type { DepositSearch, FinalBlock, FoundDeposits } from '../../../../kernel/chain/deposit.js';
import { HistoryTooLong, InvalidAddress } from '../../../../kernel/chain/chain.errors.js';
import { networkOf } from '../../../../kernel/chain/networks.js';
import { remembered } from '../../../../kernel/collections.js';
import type {
  BlockPlace,
  Cancellation,
  FoundTransactions,
  Payment,
  PreparedPayment,
  Signable,
  SignedAttempt,
  PaymentStatus,
  ProofProgress,
} from '../../../../kernel/chain/payment.js';
import type { SolanaNetwork } from '../../../../services/config/networks.js';
import type { HostNames } from '../../../../services/outbound/host-names.js';
import { NodeChain, type NodeUrls } from '../node-chain.js';
import { isRefusal } from '../node-faults.js';
import type { EndpointQuestions, NodeWatch } from '../endpoint-comparison.js';
import { NetworksInMemory, type StoredNetworks } from '../typeorm-known-networks.js';
import { newestBlock, searchDeposits } from './solana-deposits.js';
import { associatedAccountOf } from './solana-message.js';
import { SolanaNode, type SolanaNodeSettings } from './solana-node.js';
import { allNaming, transactionsNamed } from './solana-history.js';
import { isLost, observe } from './solana-observation.js';
import { assertIsMint, marketFor, preparePayment, refusing, tokenOf } from './solana-payment.js';
import { type NamingSignatures, signaturesNaming } from './solana-signatures.js';
import { TOKEN_2022_PROGRAM_ADDRESS } from './token-2022.js';

/** Endpoints of one cluster differ by some slots. */
const LAG_SLOTS = 150;

/** An absent setting is that of the network `solana`, on the cluster of the first use. */
type Optional = Pick<SolanaNetwork, 'symbol' | 'explorer'> & Pick<SolanaNodeSettings, 'name' | 'id' | 'preferred'>;
export interface SolanaChainSettings extends NodeUrls, Partial<Optional> {
  /** The bound of one payment, without the rent of an account that it creates. */
  readonly maxFeeLamports: bigint;
}

/** The blocks that may include a transaction, and a few that nodes may differ by. */
const LIFE_BLOCKS = 160;

/** Native programs, sysvars and the incinerator end in a row of ones; 1 in 10^19 public keys does. */
const NATIVE = /1{11}.?$/;
const PROGRAMS: readonly string[] = [
  TOKEN_PROGRAM_ADDRESS,
  TOKEN_2022_PROGRAM_ADDRESS,
  'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
];

export class SolanaChain extends NodeChain<SolanaNode> {
  private readonly maxFeeLamports: bigint;
  /** The cluster of the first use, where the configuration names none. */
  private cluster: string | null = null;

  constructor(
    {
      name = 'solana',
      symbol = 'SOL',
      explorer = null,
      maxFeeLamports,
      id = null,
      preferred = [],
      ...urls
    }: SolanaChainSettings,
    watch?: NodeWatch,
    names?: HostNames,
    networks: StoredNetworks = new NetworksInMemory(),
  ) {
    super(
      networkOf({ name, id, kind: 'solana', symbol, explorer, hasNode: true }),
      urls,
      (url, timeoutMs) => new SolanaNode({ name, id, networks, preferred, url, timeoutMs }, names),
      isRefusal,
      watch,
      LAG_SLOTS,
    );
    this.maxFeeLamports = maxFeeLamports;
  }

  override get id(): string | null {
    return this.cluster ?? super.id;
  }

  address(text: string, field?: string): string {
    // An address off the curve has no key: only a program could return a payment to it.
    if (!isAddress(text) || (isOffCurveAddress(text) && !this.isReserved(text))) {
      throw new InvalidAddress('The address must be base58 of 32 bytes that are an Ed25519 public key.', field);
    }
    return text;
  }

  tokenAddress(text: string, field?: string): string {
    if (!isAddress(text)) throw new InvalidAddress('The mint must be base58 of 32 bytes.', field);
    return text;
  }

  isReserved(address: string): boolean {
    return NATIVE.test(address) || PROGRAMS.includes(address);
  }

  async network(): Promise<string> {
    return (this.cluster = await this.answered(this.nodes.read((node) => node.network())));
  }

  balances(address: string, asset: Asset): Promise<Pick<PreparedPayment, 'balances' | 'balancesAt'>> {
    const { token } = asset;
    return this.answered(
      this.nodes.read(async (node) => {
        const ofToken = token === null ? [] : [token as Address, await associatedAccountOf(address, token)];
        const { slot, of } = await node.accounts([address as Address, ...ofToken]);
        const [owner = null, mint = null, holder = null] = of;
        // Tokens of another program are in other accounts, where a balance of 0 would be wrong.
        if (token !== null) await refusing(node, () => assertIsMint(mint, asset));
        const coin = owner?.lamports ?? 0n;
        const held = token === null ? coin : (tokenOf(holder)?.amount ?? 0n);
        return { balances: { coin, asset: held }, balancesAt: Number(slot) };
      }),
    );
  }

  nonces(): Promise<Nonces | null> {
    return Promise.resolve(null);
  }

  prepareTogether(payments: readonly Payment[]): Prepare {
    // Where an endpoint fails, the next one reads everything itself.
    const marketOf = remembered(async (node: SolanaNode) => {
      await node.network();
      return marketFor(node, payments);
    });
    return (payment, feeCap, earlier = []) => {
      const bounds = { ceiling: this.maxFeeLamports, feeCap, earlier };
      return this.answered(this.nodes.read(async (node) => preparePayment(await marketOf(node), payment, bounds)));
    };
  }

  prepareReplacement(): Promise<Signable | null> {
    return Promise.resolve(null);
  }

  prepareCancellation(): Promise<Cancellation | null> {
    return Promise.resolve(null);
  }

  /** Without nonces no gap is closed by sending an attempt again. The name of the network contains the first block. */
  areOfThisChain(): Promise<boolean> {
    return Promise.resolve(true);
  }

  /** No two nodes of a cluster have different blocks at a final slot. */
  protected readonly questions: EndpointQuestions<SolanaNode> = {
    height: async (node) => {
      this.cluster = await node.network();
      await node.assertNotMoved();
      return Number((await node.finalized()).slot);
    },
    hashAt: (node, slot) => node.blockhashAt(slot),
  };

  async isMade(payments: readonly Payment[], search: PaymentSearch, asksAll = false): Promise<boolean> {
    const { source } = payments[0]!;
    const ids = payments.map(({ transferId }) => transferId);
    const found = await this.answered(
      asksAll
        ? allNaming((ask) => this.nodes.every(ask), source, ids, search)
        : this.nodes.read((node) => signaturesNaming(node, source, ids, search, false)),
    );
    if (found.of.length > 0) return true;
    this.assertWhole(found);
    return false;
  }

  summaryOf(): null {
    return null;
  }

  async transactionsOf(
    source: string,
    payments: readonly Payment[],
    search: PaymentSearch,
  ): Promise<FoundTransactions> {
    const ids = payments.map(({ transferId }) => transferId);
    const found = await this.answered(allNaming((ask) => this.nodes.every(ask), source, ids, search));
    this.assertWhole(found);
    return this.answered(this.nodes.read((node) => transactionsNamed(node, found.of, payments)));
  }

  async expiry(since: number | null): Promise<{ since: number; isOver: boolean }> {
    if (since === null) {
      // The newest height that any endpoint reports: a blockhash may have come from any of them.
      const { of } = await this.answered(this.nodes.every((node) => heightOf(node, 'processed')));
      return { since: Math.max(...of), isOver: false };
    }
    const { of } = await this.answered(this.nodes.every((node) => heightOf(node, 'finalized')));
    return { since, isOver: Math.min(...of) > since + LIFE_BLOCKS };
  }

  finalBlock(): Promise<FinalBlock> {
    return this.answered(newestBlock(this.nodes));
  }

  deposits(search: DepositSearch): Promise<FoundDeposits> {
    return this.answered(searchDeposits(this.nodes, search));
  }

  private assertWhole({ isWhole, hasAdvanced }: NamingSignatures): void {
    if (!isWhole) throw new HistoryTooLong(this.name, hasAdvanced);
  }

  protected observe(
    _source: string,
    attempts: readonly SignedAttempt[],
    progress: ProofProgress | null,
  ): Promise<PaymentStatus> {
    return observe(this.nodes, attempts, progress);
  }

  protected isLost(hash: string, { number }: BlockPlace): Promise<boolean> {
    return isLost(this.nodes, hash, number);
  }
}

/** A height of another cluster, to which the URL was moved, would end a hold at once. */
async function heightOf(node: SolanaNode, commitment: 'processed' | 'finalized'): Promise<number> {
  const height = await node.blockHeight(commitment);
  await node.assertNotMoved();
  return height;
}

import type { Asset } from '../../../../kernel/chain/asset.js';
import {
  type CallersTransaction,
  MOST_WAITING,
  type NonceRange,
  type Nonces,
  type PaymentSearch,
  type Prepare,
} from '../../../../kernel/chain/chain.js';
import type { DepositSearch, FinalBlock, FoundDeposits } from '../../../../kernel/chain/deposit.js';
import { InvalidAddress } from '../../../../kernel/chain/chain.errors.js';
import { networkOf } from '../../../../kernel/chain/networks.js';
import type {
  BlockPlace,
  Cancellation,
  DataFees,
  FinalPayment,
  FoundTransactions,
  Payment,
  PreparedPayment,
  Signable,
  SignedAttempt,
  PaymentStatus,
  ProofProgress,
  StuckReason,
} from '../../../../kernel/chain/payment.js';
import { caip2Of, type EvmKindName, type EvmNetwork, type Finality } from '../../../../services/config/networks.js';
import { ethereumAddressOf } from '../../../../services/crypto/keccak.js';
import type { HostNames } from '../../../../services/outbound/host-names.js';
import { agreed, type Answers } from '../endpoints.js';
import { NodeChain, type NodeUrls } from '../node-chain.js';
import { AnotherChain, NodeAnswerUnreadable, NodeFault } from '../node-faults.js';
import type { EndpointQuestions, NodeWatch } from '../endpoint-comparison.js';
import { NetworksInMemory, type StoredNetworks } from '../typeorm-known-networks.js';
import { ChainIdentity } from './ethereum-rpc.js';
import { ArbitrumKind } from './arbitrum-kind.js';
import { CallFailed } from './call-failed.js';
import type { FeeCeilings } from './ethereum-fees.js';
import { EthereumDeposits } from './ethereum-deposits.js';
import { KeptUses, summaryOf, transactionsOf, waitingOf } from './ethereum-history.js';
import { EthereumNode, type FinalAt } from './ethereum-node.js';
import { EthereumPayments } from './ethereum-payments.js';
import { EthereumProofs, placesOf } from './ethereum-proofs.js';
import { callOf, readAttempt } from './ethereum-transaction.js';
import { EvmKind } from './evm-kind.js';
import { OpKind } from './op-kind.js';

const UNBOUNDED = 1n << 256n;
const NO_CEILINGS: FeeCeilings = { maxFeePerGas: UNBOUNDED, maxTip: UNBOUNDED };

/** Endpoints of Arbitrum follow each other four times a second. */
const LAG_BLOCKS = { usual: 20, arbitrum: 1_000 };

/** An absent setting is that of Ethereum; absent ceilings bound no fees. */
type Optional = Pick<EvmNetwork, 'name' | 'kind' | 'symbol' | 'explorer' | 'finality' | 'minTip' | 'maxL1Fee'> & {
  readonly ceilings: FeeCeilings;
};
export type EthereumChainSettings = NodeUrls & Pick<EvmNetwork, 'chainId'> & Partial<Optional>;

/** Every chain with EIP-1559 transactions and the same RPC. */
export class EthereumChain extends NodeChain<EthereumNode> {
  private readonly proofs: EthereumProofs;
  private readonly depositSearch: EthereumDeposits;
  private readonly finalAt: FinalAt;
  private readonly chainId: number;
  private readonly kind: EvmKind;
  private readonly payments: EthereumPayments;
  private readonly keptUses = new Map<EthereumNode, KeptUses>();

  constructor(
    {
      name = 'ethereum',
      symbol = 'ETH',
      explorer = null,
      chainId,
      kind = 'ethereum',
      finality = 'finalized',
      ceilings = NO_CEILINGS,
      minTip = 0n,
      maxL1Fee = UNBOUNDED,
      ...urls
    }: EthereumChainSettings,
    watch?: NodeWatch,
    names?: HostNames,
    networks: StoredNetworks = new NetworksInMemory(),
  ) {
    const id = caip2Of(chainId);
    const identity = new ChainIdentity(chainId, networks);
    super(
      networkOf({ name, id, kind, symbol, explorer, hasNode: true }),
      urls,
      (url, timeoutMs) => new EthereumNode({ url, timeoutMs, chainId, identity }, names),
      (error) => error instanceof CallFailed,
      watch,
      kind === 'arbitrum' ? LAG_BLOCKS.arbitrum : LAG_BLOCKS.usual,
    );
    this.proofs = new EthereumProofs(this.nodes, finality);
    this.depositSearch = new EthereumDeposits(this.nodes, this.proofs.blocks);
    this.finalAt = finalAt(finality);
    this.chainId = chainId;
    this.kind = kindNamed(kind, watch);
    this.payments = new EthereumPayments(
      this.nodes,
      this.chainId,
      this.kind,
      { ...ceilings, minTip, maxL1Fee },
      this.finalAt,
      (work) => this.answered(work),
    );
  }

  address(text: string, field?: string): string {
    const address = ethereumAddressOf(text);
    if (address === null) {
      throw new InvalidAddress(
        'The address must be 0x and 40 digits, checksummed (EIP-55) or all in lower case.',
        field,
      );
    }
    return address;
  }

  tokenAddress(text: string, field?: string): string {
    return this.address(text, field);
  }

  isReserved(address: string): boolean {
    return this.kind.isReserved(address);
  }

  async network(): Promise<string> {
    await this.answered(this.nodes.read((node) => node.assertNetwork()));
    return caip2Of(this.chainId);
  }

  override get takesDataFees(): boolean {
    return this.kind.takesDataFees;
  }

  override assertDataFees(transaction: CallersTransaction): Promise<void> {
    return this.payments.assertDataFees(transaction);
  }

  balances(source: string, asset: Asset): Promise<Pick<PreparedPayment, 'balances' | 'balancesAt'>> {
    return this.answered(this.payments.balancesFor({ source, asset }));
  }

  async nonces(address: string, doubted?: Nonces): Promise<Nonces> {
    const ask = (node: EthereumNode): Promise<Nonces> => noncesFrom(node, address);
    if (!doubted) return this.answered(this.nodes.read(ask));
    return this.answered(this.nodes.every(ask).then((answers) => agreedNonces(answers, doubted)));
  }

  prepareTogether([first]: readonly Payment[]): Prepare {
    return this.payments.prepareFor(first!);
  }

  prepareReplacement(
    payment: Payment,
    earlier: readonly SignedAttempt[],
    feeCap: bigint,
    reserve?: DataFees,
  ): Promise<Signable | null> {
    return this.payments.prepareReplacement(payment, earlier, feeCap, reserve);
  }

  prepareCancellation(
    address: string,
    earlier: readonly SignedAttempt[],
    feeCap: bigint,
  ): Promise<Cancellation | null> {
    return this.payments.prepareCancellation(address, earlier, feeCap);
  }

  async areOfThisChain(attempts: readonly SignedAttempt[]): Promise<boolean> {
    if (attempts.some(({ finalBlock }) => finalBlock === null)) return false;
    const known = placesOf(attempts);
    const has = (node: EthereumNode): Promise<boolean> =>
      node.assertHas(known).then(
        () => true,
        (error: unknown) => {
          if (error instanceof AnotherChain) return false;
          throw error;
        },
      );
    return agreed(await this.answered(this.nodes.every(has)), (isOf) => isOf);
  }

  protected readonly questions: EndpointQuestions<EthereumNode> = {
    height: (node) => node.height(),
    hashAt: async (node, height) => (await node.canonicalBlock(height))?.hash ?? null,
  };

  isMade(): Promise<boolean> {
    return Promise.resolve(false);
  }

  summaryOf(payment: Payment): string {
    return summaryOf(callOf(payment));
  }

  async transactionsOf(
    source: string,
    payments: readonly Payment[],
    { nonces, known }: PaymentSearch & { readonly nonces: NonceRange | null },
  ): Promise<FoundTransactions> {
    if (nonces === null) return { of: [], isComplete: true };
    const range = { source, nonces, chainId: this.chainId, finalAt: this.finalAt };
    // Each endpoint has its own waiting transactions. They are read first: one that gets into a block meanwhile is found there.
    const waiting =
      nonces.waitingTo > nonces.to
        ? (await this.answered(this.nodes.every((node) => waitingOf(node, source, nonces)))).of.flat()
        : [];
    const { of: answers } = await this.answered(
      this.nodes.search(
        (node) => transactionsOf(node, range, payments, known, waiting, this.keptUsesOf(node)),
        ({ isComplete }) => isComplete,
      ),
    );
    return answers.find(({ isComplete }) => isComplete) ?? answers[0]!;
  }

  /** By node: what one shows is not taken for another's answer. */
  private keptUsesOf(node: EthereumNode): KeptUses {
    const kept = this.keptUses.get(node) ?? new KeptUses();
    this.keptUses.set(node, kept);
    return kept;
  }

  expiry(): Promise<{ since: number; isOver: boolean }> {
    return Promise.resolve({ since: 0, isOver: true });
  }

  finalBlock(): Promise<FinalBlock> {
    return this.answered(this.depositSearch.newest());
  }

  deposits(search: DepositSearch): Promise<FoundDeposits> {
    return this.answered(this.depositSearch.search(search));
  }

  protected async observe(
    source: string,
    attempts: readonly SignedAttempt[],
    progress: ProofProgress | null,
  ): Promise<PaymentStatus> {
    const foreign = attempts.find(({ network }) => network !== caip2Of(this.chainId));
    if (foreign) {
      const reason = `An attempt was signed for ${foreign.network}.`;
      return { is: 'unknown', reason, stuckReason: 'sequencer_or_node_down' };
    }
    if (attempts.length === 0) return { is: 'unknown', reason: 'There is no attempt.' };
    const status = await this.proofs.observe(source, attempts, progress);
    if (status.is === 'not_seen' || status.is === 'submitted')
      return { ...status, stuckReason: status.stuckReason ?? (await this.reasonOfNoBlock(attempts)) };
    if (status.is === 'final' && this.kind.takesDataFees) await this.compareBooks(source, attempts, status);
    return status;
  }

  protected async isLost(_: string, { number, hash }: BlockPlace): Promise<boolean> {
    // An earlier release recorded the number alone.
    if (hash === null) return true;
    const { of } = await this.nodes.every((node) => node.canonicalBlock(number));
    const inPlace = of.filter((block) => block !== null);
    return inPlace.length > 0 && inPlace.every((block) => block.hash !== hash);
  }

  /** A working sequencer includes every transaction whose fee is enough. Block producers may choose. */
  private async reasonOfNoBlock(attempts: readonly SignedAttempt[]): Promise<StuckReason | undefined> {
    if (!this.kind.hasSequencer) return undefined;
    // The status is known without this block, and an attempt that is not seen must be sent again.
    const block = await this.nodes.read((node) => node.latestBlock()).catch(() => undefined);
    if (!block) return undefined;
    const isPriced = attempts.some((attempt) => readAttempt(attempt).maxFeePerGas >= block.baseFeePerGas);
    return isPriced ? 'sequencer_or_node_down' : undefined;
  }

  /** Fees of the OP stack are read from the receipt. The balance shows whether the chain took as much. */
  private async compareBooks(source: string, attempts: readonly SignedAttempt[], status: FinalPayment): Promise<void> {
    const { value } = readAttempt(attempts.find(({ hash }) => hash === status.hash)!);
    const expected = status.fee + (status.outcome === 'reverted' ? 0n : value);
    const spent = await this.nodes.read((node) => spentIn(node, source, status.block.hash!)).catch(() => null);
    if (spent === null || spent === expected) return;
    this.watch?.noteOnce(
      { transaction: status.hash, expected: String(expected), spent: String(spent) },
      'the balance changed by another amount than payment and fees, unless the wallet was paid in the same block',
    );
  }
}

function kindNamed(kind: EvmKindName, watch: NodeWatch | undefined): EvmKind {
  switch (kind) {
    case 'op':
      return new OpKind((message) => watch?.noteOnce({}, message));
    case 'arbitrum':
      return new ArbitrumKind();
    case 'ethereum':
    case 'polygon':
    case 'bnb':
      return new EvmKind();
  }
}

/** A reorganisation may remove a block that counts as final. An attempt keeps one that must remain: twice as deep, or the finalised one. */
function finalAt(finality: Finality): FinalAt {
  return (newest) => (typeof finality === 'number' ? Math.max(0, newest - 2 * finality) : 'finalized');
}

/** Null where the account sent several transactions in the block. */
async function spentIn(node: EthereumNode, address: string, blockHash: string): Promise<bigint | null> {
  const block = await node.blockOf(blockHash);
  if (block === null) return null;
  const [before, after] = await Promise.all([block.parentHash, blockHash].map((hash) => node.accountAt(address, hash)));
  return after!.nonce - before!.nonce === 1 ? before!.coin - after!.coin : null;
}

async function noncesFrom(node: EthereumNode, address: string): Promise<Nonces> {
  const counts = await node.transactionCounts(address);
  if (!areClose([counts])) throw new NodeAnswerUnreadable('a number of transactions');
  return counts;
}

function agreedNonces(answers: Answers<Nonces>, doubted: Nonces): Nonces {
  if (!agreed(answers, (answer) => areClose([answer, doubted])) || !areClose(answers.of)) {
    throw new NodeFault('The answers do not agree on the next nonce of an account.');
  }
  const highest = (of: 'latest' | 'pending'): number => Math.max(...answers.of.map((nonces) => nonces[of]));
  return { latest: highest('latest'), pending: highest('pending'), areAgreed: true };
}

function areClose(answers: readonly Nonces[]): boolean {
  const counts = answers.flatMap(({ latest, pending }) => [latest, pending]);
  return Math.max(...counts) - Math.min(...counts) <= MOST_WAITING;
}

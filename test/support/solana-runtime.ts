import {
  type Address,
  address,
  decompileTransactionMessage,
  getAddressDecoder,
  getBase58Decoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  lamports,
  type MaybeEncodedAccount,
  type ReadonlyUint8Array,
  type Transaction,
} from '@solana/kit';
import {
  COMPUTE_BUDGET_PROGRAM_ADDRESS,
  getSetComputeUnitLimitInstructionDataDecoder,
  getSetComputeUnitPriceInstructionDataDecoder,
  SET_COMPUTE_UNIT_LIMIT_DISCRIMINATOR,
  SET_COMPUTE_UNIT_PRICE_DISCRIMINATOR,
} from '@solana-program/compute-budget';
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import {
  AccountState,
  findAssociatedTokenPda,
  getMintEncoder,
  getMintSize,
  getTokenDecoder,
  getTokenEncoder,
  getTokenSize,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import { MEMO_PROGRAM_ADDRESS } from '../../src/modules/chain/infrastructure/solana/solana-message.js';
import { TOKEN_2022_PROGRAM_ADDRESS } from '../../src/modules/chain/infrastructure/solana/token-2022.js';
import { FailedTransactionMetadata, LiteSVM } from 'litesvm';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Machine, MACHINES, type Route } from './machine-pool.js';
import { textOf } from './send.js';
import { SolanaBlocks } from './solana-blocks.js';

export interface SolanaSettings {
  /** Milliseconds between slots; absent: only `advance` adds slots. */
  readonly slotMs?: number;
  /** The slots after which a block is finalized; 31 on the real chain. */
  readonly finalizedAfter?: number;
}

type Commitment = 'processed' | 'confirmed' | 'finalized';

interface Landed {
  readonly signature: string;
  readonly slot: number;
  readonly err: unknown;
  readonly fee: number;
  /** Epoch seconds. */
  readonly time: number;
  /** As nodes describe memos; null without one. */
  readonly memo: string | null;
  readonly wire: string;
  readonly addresses: readonly Address[];
  readonly before: readonly MaybeEncodedAccount[];
  readonly after: readonly MaybeEncodedAccount[];
}

type Listed = Pick<Landed, 'signature' | 'slot' | 'err' | 'memo' | 'time'>;

/** A transaction is valid in the blocks up to this many, plus one, after the block of its blockhash. */
const BLOCKHASH_LIFE = 150;
/** The number of blocks whose prioritisation fees a node stores. */
const FEE_HISTORY = 150;
/** The slots whose statuses a node stores without searching its history. */
const STATUS_CACHE = 300;
const CONFIRMED_AFTER = 1;

/** The chain of a machine. */
interface View {
  /** Slots whose blocks it does not have. */
  readonly holes: ReadonlySet<number>;
  /** Its newest slot. */
  readonly slot: number;
  /** The executed transactions, in the order of the chain. */
  readonly landed: readonly Landed[];
  find(signature: string): Landed | undefined;
  hashAt(slot: number): string;
  /** The first slot of the fork it is on. */
  readonly forkedFrom: number | null;
}

/** The blocks that a fork dropped. */
interface Dropped {
  readonly from: number;
  readonly slot: number;
  readonly hashes: ReadonlyMap<number, string>;
  readonly landed: ReadonlyMap<string, Landed>;
}

/**
 * Solana's own runtime (litesvm) behind a node's JSON-RPC. litesvm executes transactions. This class adds slots,
 * blocks, expiring blockhashes, commitments, signature statuses, forks, and several machines behind one URL.
 */
export class SolanaRuntime {
  /** Replace it to choose the machine of a call. */
  route: Route = () => 'head';
  /** Whether only `advance` and `skip` add slots. */
  isFrozen = false;
  /** The number of slots by which the lagging machine is behind. */
  lag = 4;
  /** The number of calls that each machine answered. */
  readonly answered: Record<Machine, number> = { head: 0, lagging: 0, forked: 0, restored: 0 };
  /** Replace it to choose what happens to accepted bytes: executed now, held for `release`, or forgotten. */
  fate: (signature: string) => 'land' | 'hold' | 'forget' = () => 'land';
  /** The slots by which the node's statuses lag behind its blocks, as on another machine behind the same URL. */
  statusLag = 0;
  /** The lowest micro-lamports per compute unit that transactions in each of the last blocks paid. */
  prioritizationFee = 0n;
  /** The number of executed transactions, including failed ones. */
  get landedCount(): number {
    return this.landed.size;
  }

  private readonly svm = new LiteSVM().withBlockhashCheck(false).withTransactionHistory(0n);
  private readonly seed = randomBytes(32);
  private readonly landed = new Map<string, Landed>();
  /** Transactions of strangers by the account that they name. Only the list of its signatures shows them. */
  private readonly foreign = new Map<Address, Listed[]>();
  private longList: { readonly key: string; readonly of: readonly Listed[] } = { key: '', of: [] };
  private readonly held = new Map<string, { transaction: Transaction; wire: string }>();
  private readonly blocks = new SolanaBlocks(this.seed);
  private dropped: Dropped | null = null;
  private readonly holes = new Map<Machine, Set<number>>();
  private firstSlot = 0;
  private clock: NodeJS.Timeout | undefined;
  private faucetCount = 0;

  private constructor(
    private readonly server: Server,
    private readonly finalizedAfter: number,
  ) {}

  static async start({ slotMs, finalizedAfter = 31 }: SolanaSettings = {}): Promise<SolanaRuntime> {
    const server = createServer();
    const runtime = new SolanaRuntime(server, finalizedAfter);
    server.on('request', (request, response) => void runtime.serve(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    if (slotMs !== undefined) runtime.clock = setInterval(() => runtime.isFrozen || runtime.advance(), slotMs).unref();
    return runtime;
  }

  async stop(): Promise<void> {
    clearInterval(this.clock);
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get slot(): number {
    return this.blocks.slot;
  }

  /** Adds slots, each with a block. */
  advance(slots = 1): void {
    this.blocks.advance(slots);
    this.svm.warpToSlot(BigInt(this.slot));
  }

  /** Adds slots without a block, then one with a block. */
  skip(slots = 1): void {
    this.blocks.skip(slots);
    this.svm.warpToSlot(BigInt(this.slot));
  }

  /** Adds blocks until every known blockhash has expired, finally. */
  expireBlockhashes(): void {
    this.advance(BLOCKHASH_LIFE + this.finalizedAfter + 3);
  }

  /** Executes the held transactions whose blockhash is still valid. */
  release(): void {
    for (const [signature, { transaction, wire }] of this.held) {
      if (!this.refusal(this.chain(), signature, transaction)) this.land(signature, transaction, wire);
    }
    this.held.clear();
  }

  /** Forgets the held transactions, as if the pools of all nodes were emptied. */
  drop(): void {
    this.held.clear();
  }

  /**
   * Replaces the newest blocks by empty ones, but no finalized one. Their transactions are undone and may be executed
   * again. The forked machine stays on the replaced blocks, or on its earlier fork unless the chain is replaced from
   * below it.
   */
  fork(slots: number): void {
    const from = Math.max(this.slot - slots, this.slot - this.finalizedAfter) + 1;
    const undone = [...this.landed.values()].filter(({ slot }) => slot >= from);
    for (const { signature, addresses, before } of undone.toReversed()) {
      for (const [index, account] of before.entries()) this.restore(addresses[index]!, account);
      this.landed.delete(signature);
    }
    const hashes = this.blocks.replaceFrom(from);
    if (this.dropped && this.dropped.from <= from) return;
    const landed = new Map(undone.map((each) => [each.signature, each]));
    this.dropped = { from, slot: this.slot, hashes, landed };
  }

  /** The forked machine follows the chain again. */
  rejoin(): void {
    this.dropped = null;
  }

  get isForked(): boolean {
    return this.dropped !== null;
  }

  /**
   * Simulates machines that were down for the newest slots and restarted from a snapshot: they lack these blocks and
   * their transactions. Neither later transactions nor `getFirstAvailableBlock` shows it.
   */
  restartFromSnapshot(missedSlots: number, machines: readonly Machine[] = MACHINES): void {
    for (const machine of machines) {
      const holes = this.holes.get(machine) ?? new Set();
      for (let slot = this.slot - missedSlots + 1; slot <= this.slot; slot++) holes.add(slot);
      this.holes.set(machine, holes);
    }
  }

  /** Restores the blocks of `restartFromSnapshot`. */
  fillHoles(): void {
    this.holes.clear();
  }

  /** Removes the blocks before a slot, with the statuses of their transactions. */
  forgetHistory(beforeSlot = this.slot): void {
    this.firstSlot = beforeSlot;
  }

  fund(account: string, amount: bigint): void {
    const balance = this.balance(account);
    this.svm.setAccount({
      address: address(account),
      lamports: lamports(balance + amount),
      data: new Uint8Array(),
      executable: false,
      programAddress: SYSTEM_PROGRAM_ADDRESS,
      space: 0n,
    });
  }

  balance(account: string): bigint {
    return this.svm.getBalance(address(account)) ?? 0n;
  }

  /** The slot in which a transaction was executed; null if it was not. */
  slotOf(signature: string): number | null {
    return this.landed.get(signature)?.slot ?? null;
  }

  /** Creates a mint and returns its address. */
  createMint(decimals: number): string {
    const mint = getAddressDecoder().decode(
      createHash('sha256').update(this.seed).update(`mint ${this.faucetCount++}`).digest(),
    );
    this.own(
      mint,
      getMintEncoder().encode({
        mintAuthority: null,
        supply: 2n ** 63n,
        decimals,
        isInitialized: true,
        freezeAuthority: null,
      }) as Uint8Array,
      getMintSize(),
    );
    return mint;
  }

  /** Adds tokens to the account of an owner; `changes` makes the account invalid. */
  async fundToken(
    mint: string,
    owner: string,
    amount: bigint,
    changes: { readonly owner?: string; readonly state?: AccountState } = {},
  ): Promise<void> {
    const data = getTokenEncoder().encode({
      mint: address(mint),
      owner: address(changes.owner ?? owner),
      amount,
      delegate: null,
      state: changes.state ?? AccountState.Initialized,
      isNative: null,
      delegatedAmount: 0n,
      closeAuthority: null,
    });
    this.own(await tokenAccount(mint, owner), data as Uint8Array, getTokenSize());
  }

  /** Removes the token account of an owner, as its owner may once it is empty. */
  async closeToken(mint: string, owner: string): Promise<void> {
    const account = await tokenAccount(mint, owner);
    this.restore(account, { address: account, exists: false });
  }

  async tokenBalance(mint: string, owner: string): Promise<bigint> {
    const account = this.svm.getAccount(await tokenAccount(mint, owner));
    return account.exists && account.data.length === getTokenSize()
      ? getTokenDecoder().decode(account.data).amount
      : 0n;
  }

  /** Makes an address an account of a program. */
  own(account: Address, data: Uint8Array, size = data.length, program: Address = TOKEN_PROGRAM_ADDRESS): void {
    this.svm.setAccount({
      address: account,
      lamports: lamports(this.svm.minimumBalanceForRentExemption(BigInt(size))),
      data,
      executable: false,
      programAddress: program,
      space: BigInt(size),
    });
  }

  private restore(at: Address, before: MaybeEncodedAccount): void {
    if (before.exists) this.svm.setAccount(before);
    else
      this.svm.setAccount({
        address: at,
        lamports: lamports(0n),
        data: new Uint8Array(),
        executable: false,
        programAddress: SYSTEM_PROGRAM_ADDRESS,
        space: 0n,
      });
  }

  // The responses of a node.

  /** The chain without holes. */
  private chain(): Pick<View, 'find' | 'slot'> {
    return { slot: this.slot, find: (signature) => this.landed.get(signature) };
  }

  private viewOf(machine: Machine): View {
    const { dropped } = this;
    const holes = this.holes.get(machine) ?? new Set();
    if (machine === 'forked' && dropped) {
      const isKept = (each: Landed): boolean => each.slot < dropped.from && !holes.has(each.slot);
      const landed = [...[...this.landed.values()].filter(isKept), ...dropped.landed.values()];
      return {
        holes,
        slot: dropped.slot,
        find: (signature) => landed.findLast((each) => each.signature === signature),
        landed,
        hashAt: (slot) => dropped.hashes.get(slot) ?? this.blocks.hashAt(slot),
        forkedFrom: dropped.from,
      };
    }
    const slot = machine === 'lagging' ? this.blocks.blockUpTo(this.slot - this.lag) : this.slot;
    const landed = [...this.landed.values()].filter((each) => each.slot <= slot && !holes.has(each.slot));
    return {
      holes,
      slot,
      find: (signature) => {
        const found = this.landed.get(signature);
        return found && found.slot <= slot && !holes.has(found.slot) ? found : undefined;
      },
      landed,
      hashAt: (at) => this.blocks.hashAt(at),
      forkedFrom: null,
    };
  }

  private readonly methods: Readonly<Record<string, (view: View, ...params: never[]) => unknown>> = {
    getHealth: () => 'ok',
    getGenesisHash: () => this.blocks.genesisHash(),
    getSlot: (view, config?: Committed) => this.slotAt(view, config),
    getBlockHeight: (view, config?: Committed) => this.blocks.heightAt(this.slotAt(view, config)),
    getFirstAvailableBlock: () => this.firstSlot,
    getBlockTime: () => Math.floor(Date.now() / 1000),
    getEpochInfo: (view, config?: Committed) => {
      const absoluteSlot = this.slotAt(view, config);
      return {
        absoluteSlot,
        blockHeight: this.blocks.heightAt(absoluteSlot),
        epoch: 0,
        slotIndex: absoluteSlot,
        slotsInEpoch: 432_000,
        transactionCount: this.landed.size,
      };
    },
    getLatestBlockhash: (view, config?: Committed) => {
      const slot = this.slotAt(view, config);
      const lastValidBlockHeight = this.blocks.heightAt(slot) + BLOCKHASH_LIFE;
      return { context: { slot }, value: { blockhash: view.hashAt(slot), lastValidBlockHeight } };
    },
    getBlock: (view, slot: number, config?: Committed & { transactionDetails?: string }) =>
      this.block(view, slot, config),
    getBlocks: (view, from: number, to?: number | Committed | null, config?: Committed) => {
      const last = this.slotAt(view, typeof to === 'number' ? config : (to ?? config));
      return this.slotsWithBlocks(view, from, Math.min(last, typeof to === 'number' ? to : last));
    },
    getBlocksWithLimit: (view, from: number, limit: number, config?: Committed) =>
      this.slotsWithBlocks(view, from, this.slotAt(view, config)).slice(0, limit),
    getMinimumBalanceForRentExemption: (_, bytes: number) => this.svm.minimumBalanceForRentExemption(BigInt(bytes)),
    getFeeForMessage: (view, message: string) => {
      const compiled = getCompiledTransactionMessageDecoder().decode(Buffer.from(message, 'base64'));
      const isUsable = 'lifetimeToken' in compiled && this.isUsable(compiled.lifetimeToken, view.slot);
      return inContext(view, isUsable ? feeOf(compiled) : null);
    },
    getRecentPrioritizationFees: (view, accounts: string[] = []) => {
      if (accounts.length > 128) throw new Error('Too many inputs provided; max 128');
      const slots = this.slotsWithBlocks(view, Math.max(this.firstSlot, view.slot - FEE_HISTORY + 1), view.slot);
      return slots.map((slot) => ({ slot, prioritizationFee: this.prioritizationFee }));
    },
    getBalance: (view, account: string) => {
      const found = this.accountAt(view, address(account));
      return inContext(view, found.exists ? found.lamports : 0n);
    },
    getAccountInfo: (view, account: string) => inContext(view, described(this.accountAt(view, address(account)))),
    getMultipleAccounts: (view, accounts: string[]) =>
      inContext(
        view,
        accounts.map((account) => described(this.accountAt(view, address(account)))),
      ),
    sendTransaction: (view, wire: string, config?: { skipPreflight?: boolean }) =>
      this.accept(view, wire, config?.skipPreflight ?? false),
    getSignatureStatuses: (view, signatures: string[], config?: { searchTransactionHistory?: boolean }) => {
      if (signatures.length > 256) throw new Error('Too many inputs provided; max 256');
      const now = view.slot - this.statusLag;
      const since = Math.max(this.firstSlot, config?.searchTransactionHistory ? 0 : now - STATUS_CACHE);
      return {
        context: { slot: now },
        value: signatures.map((signature) => {
          const found = view.find(signature);
          if (!found || found.slot > now || found.slot < since) return null;
          const { slot, err } = found;
          const confirmationStatus = this.commitmentOf(view, slot);
          const confirmations = confirmationStatus === 'finalized' ? null : view.slot - slot;
          return { slot, confirmations, err, status: statusOf(err), confirmationStatus };
        }),
      };
    },
    getSignaturesForAddress: (view, account: string, config: Committed & { limit?: number; before?: string } = {}) => {
      const last = this.slotAt(view, config);
      const named = address(account);
      const foreign = this.foreign.get(named);
      const own = view.landed.filter(
        ({ slot, addresses }) => slot <= last && slot >= this.firstSlot && addresses.includes(named),
      );
      const listed = foreign ? this.withForeign(own, foreign, last) : own.toReversed();
      const from = config.before === undefined ? 0 : listed.findIndex((each) => each.signature === config.before) + 1;
      // A node lists nothing before a signature that it does not know.
      if (config.before !== undefined && from === 0) return [];
      return listed.slice(from, from + (config.limit ?? 1000)).map(({ signature, slot, err, memo, time }) => ({
        signature,
        slot,
        err,
        memo,
        blockTime: time,
        confirmationStatus: this.commitmentOf(view, slot),
      }));
    },
    getTransaction: (view, signature: string, config?: Committed) => {
      const found = view.find(signature);
      if (!found || found.slot < this.firstSlot || found.slot > this.slotAt(view, config)) return null;
      return { slot: found.slot, blockTime: Math.floor(Date.now() / 1000), ...recorded(found) };
    },
  };

  private block(view: View, slot: number, config: (Committed & { transactionDetails?: string }) | undefined): unknown {
    if (slot > this.slotAt(view, config)) throw new RpcError(-32_004, `Block not available for slot ${slot}`);
    if (this.slotsWithBlocks(view, slot, slot).length === 0) {
      throw new RpcError(-32_007, `Slot ${slot} was skipped, or missing due to ledger jump to recent snapshot`);
    }
    const parentSlot = this.blocks.blockUpTo(slot - 1);
    const landed = view.landed.filter((each) => each.slot === slot);
    const { transactionDetails = 'full' } = config ?? {};
    return {
      blockHeight: this.blocks.heightAt(slot),
      blockTime: Math.floor(Date.now() / 1000),
      blockhash: view.hashAt(slot),
      parentSlot,
      previousBlockhash: view.hashAt(parentSlot),
      ...(transactionDetails === 'signatures' && { signatures: landed.map(({ signature }) => signature) }),
      ...(transactionDetails === 'full' && { transactions: landed.map(recorded), rewards: [] }),
      ...(transactionDetails === 'accounts' && { transactions: landed.map(withAccounts) }),
    };
  }

  private slotsWithBlocks({ holes }: View, from: number, to: number): number[] {
    if (from < this.firstSlot) throw this.cleanedUp(from);
    const slots: number[] = [];
    for (let slot = from; slot <= to; slot++) if (!holes.has(slot) && !this.blocks.isSkipped(slot)) slots.push(slot);
    return slots;
  }

  private cleanedUp(slot: number): RpcError {
    return new RpcError(
      -32_001,
      `Block ${slot} cleaned up, does not exist on node. First available block: ${this.firstSlot}`,
    );
  }

  /** The account as the machine sees it, without transactions above its newest block. */
  private accountAt({ slot, forkedFrom }: View, account: Address): MaybeEncodedAccount {
    if (slot === this.slot && forkedFrom === null) return this.svm.getAccount(account);
    const touches = ({ addresses }: Landed): boolean => addresses.includes(account);
    const onFork = forkedFrom === null ? undefined : [...this.dropped!.landed.values()].findLast(touches);
    if (onFork) return onFork.after[onFork.addresses.indexOf(account)]!;
    const newest = forkedFrom === null ? slot : forkedFrom - 1;
    const above = [...this.landed.values()].find((each) => each.slot > newest && touches(each));
    return above ? above.before[above.addresses.indexOf(account)]! : this.svm.getAccount(account);
  }

  private accept(view: View, wire: string, skipPreflight: boolean): string {
    const transaction = getTransactionDecoder().decode(Buffer.from(wire, 'base64'));
    const signature = getBase58Decoder().decode(Object.values(transaction.signatures)[0]!);
    const refusal = this.refusal(view, signature, transaction);
    if (refusal && !skipPreflight) throw new SimulationFailed(refusal);
    // The machine may be behind or on a fork; the chain decides whether the bytes can be executed.
    if (this.refusal(this.chain(), signature, transaction)) return signature;
    if (!skipPreflight && this.svm.simulateTransaction(transaction) instanceof FailedTransactionMetadata) {
      throw new SimulationFailed(FAILED);
    }
    const fate = this.fate(signature);
    if (fate === 'hold') this.held.set(signature, { transaction, wire });
    if (fate === 'land') this.land(signature, transaction, wire);
    return signature;
  }

  /** The reason why the chain refuses the transaction; null if it accepts it. */
  private refusal(
    { find, slot }: Pick<View, 'find' | 'slot'>,
    signature: string,
    transaction: Transaction,
  ): string | null {
    if (find(signature)) return 'AlreadyProcessed';
    const compiled = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
    return 'lifetimeToken' in compiled && this.isUsable(compiled.lifetimeToken, slot) ? null : 'BlockhashNotFound';
  }

  /** Newest first. A long list is kept for the next page of it. */
  private withForeign(own: readonly Listed[], foreign: readonly Listed[], last: number): readonly Listed[] {
    const key = [...own.map(({ signature }) => signature), foreign.at(-1)!.signature, last, this.firstSlot].join();
    if (this.longList.key !== key) {
      const of = [...own, ...foreign]
        .filter(({ slot }) => slot <= last && slot >= this.firstSlot)
        .toSorted((one, other) => one.slot - other.slot)
        .toReversed();
      this.longList = { key, of };
    }
    return this.longList.of;
  }

  /** As many transactions of strangers name the account, in the slot of now. They change no balance. */
  flood(account: string, count: number): void {
    const named = address(account);
    // A decoder of 25,000 signatures would take longer than the test.
    const prefix = getBase58Decoder().decode(randomBytes(58));
    const { slot } = this;
    const time = Math.floor(Date.now() / 1000);
    const foreign = Array.from({ length: count }, (_, index) => {
      const signature = `${prefix}${index.toString(9).replaceAll('0', '9').padStart(7, 'z')}`;
      return { signature, slot, err: null, memo: null, time };
    });
    this.foreign.set(named, [...(this.foreign.get(named) ?? []), ...foreign]);
  }

  private land(signature: string, transaction: Transaction, wire: string): void {
    const compiled = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
    const addresses = [...compiled.staticAccounts];
    const read = () => addresses.map((account) => this.svm.getAccount(account));
    const before = read();
    const result = this.svm.sendTransaction(transaction);
    const after = read();
    const payer = (accounts: MaybeEncodedAccount[]) => (accounts[0]?.exists ? accounts[0].lamports : 0n);
    const failed = result instanceof FailedTransactionMetadata;
    // A transaction that fails without a fee was never in a block.
    if (failed && payer(before) === payer(after)) return;
    const err = failed ? FAILED : null;
    const fee = feeOf(compiled);
    this.landed.set(signature, {
      signature,
      slot: this.slot,
      err,
      fee,
      time: Math.floor(Date.now() / 1000),
      memo: memoOf(compiled),
      wire,
      addresses,
      before,
      after,
    });
  }

  private commitmentOf(view: View, slot: number): Commitment {
    if (view.slot - slot >= this.finalizedAfter) return 'finalized';
    return view.slot - slot >= CONFIRMED_AFTER ? 'confirmed' : 'processed';
  }

  private slotAt(view: View, { commitment = 'finalized' }: Committed = {}): number {
    const behind = { processed: 0, confirmed: CONFIRMED_AFTER, finalized: this.finalizedAfter }[commitment];
    return this.blocks.blockUpTo(view.slot - behind);
  }

  /** Whether a transaction with this blockhash may be in the block of this slot. */
  private isUsable(blockhash: string, slot: number): boolean {
    const height = this.blocks.heightOf(blockhash);
    const newest = this.blocks.heightAt(slot);
    return height !== undefined && height <= newest && newest <= height + BLOCKHASH_LIFE + 1;
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = JSON.parse(await textOf(request)) as Call | Call[];
    const answers = [asked].flat().map(({ id, method, params = [] }) => ({
      jsonrpc: '2.0',
      id,
      ...this.answer(method, params),
    }));
    response.setHeader('Content-Type', 'application/json');
    response.end(toJson(Array.isArray(asked) ? answers : answers[0]));
  }

  private answer(method: string, params: unknown[]): { result: unknown } | { error: object } {
    const handler = this.methods[method];
    if (!handler) return { error: { code: -32_601, message: `Method not found: ${method}` } };
    try {
      const machine = this.route(method, params);
      this.answered[machine] += 1;
      return { result: handler(this.viewOf(machine), ...(params as never[])) };
    } catch (error) {
      const { message } = error as Error;
      if (error instanceof RpcError) return { error: { code: error.code, message } };
      if (!(error instanceof SimulationFailed)) return { error: { code: -32_603, message } };
      return {
        error: { code: -32_002, message, data: { err: error.err, logs: [], accounts: null, unitsConsumed: 0 } },
      };
    }
  }
}

type CompiledMessage = ReturnType<ReturnType<typeof getCompiledTransactionMessageDecoder>['decode']>;

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params?: unknown[];
}

interface Committed {
  readonly commitment?: Commitment;
}

/** The error of a failed transaction, for every cause. */
const FAILED = { InstructionError: [0, { Custom: 1 }] };

class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

class SimulationFailed extends Error {
  constructor(readonly err: unknown) {
    super(`Transaction simulation failed: ${JSON.stringify(err)}`);
  }
}

function inContext({ slot }: View, value: unknown): unknown {
  return { context: { slot }, value };
}

function described(account: MaybeEncodedAccount): unknown {
  if (!account.exists) return null;
  return {
    lamports: account.lamports,
    owner: account.programAddress,
    data: [Buffer.from(account.data).toString('base64'), 'base64'],
    executable: account.executable,
    rentEpoch: 2n ** 64n - 1n,
    space: account.data.length,
  };
}

function statusOf(err: unknown): unknown {
  return err === null ? { Ok: null } : { Err: err };
}

/** A transaction as nodes describe it. */
function recorded({ wire, err, fee, before, after }: Landed): object {
  const balancesOf = (accounts: readonly MaybeEncodedAccount[]) =>
    accounts.map((account) => (account.exists ? account.lamports : 0n));
  return {
    transaction: [wire, 'base64'],
    version: 0,
    meta: {
      err,
      status: statusOf(err),
      fee,
      preBalances: balancesOf(before),
      postBalances: balancesOf(after),
      innerInstructions: [],
      logMessages: [],
      preTokenBalances: [],
      postTokenBalances: [],
      rewards: [],
    },
  };
}

/** A transaction as nodes describe it with the details `accounts`. */
function withAccounts({ signature, err, fee, addresses, before, after }: Landed): object {
  const balancesOf = (accounts: readonly MaybeEncodedAccount[]) =>
    accounts.map((account) => (account.exists ? account.lamports : 0n));
  return {
    transaction: {
      signatures: [signature],
      accountKeys: addresses.map((pubkey) => ({ pubkey, signer: false, source: 'transaction', writable: true })),
    },
    version: 0,
    meta: {
      err,
      status: statusOf(err),
      fee,
      preBalances: balancesOf(before),
      postBalances: balancesOf(after),
      preTokenBalances: tokenBalancesOf(before),
      postTokenBalances: tokenBalancesOf(after),
    },
  };
}

function tokenBalancesOf(accounts: readonly MaybeEncodedAccount[]): object[] {
  return accounts.flatMap((account, accountIndex) => {
    if (!account.exists || !isTokenAccount(account.programAddress, account.data)) return [];
    const { mint, owner, amount } = getTokenDecoder().decode(account.data);
    const uiTokenAmount = { amount: String(amount), decimals: 0, uiAmount: null, uiAmountString: String(amount) };
    return [{ accountIndex, mint, owner, programId: account.programAddress, uiTokenAmount }];
  });
}

/** An account of Token-2022 begins like one of the token program. Its extensions follow, after a byte that is 2 for an account. */
function isTokenAccount(program: Address, { length, [getTokenSize()]: kind }: ReadonlyUint8Array): boolean {
  if (program === TOKEN_2022_PROGRAM_ADDRESS) return length === getTokenSize() || kind === 2;
  return program === TOKEN_PROGRAM_ADDRESS && length === getTokenSize();
}

function memoOf(compiled: CompiledMessage): string | null {
  const { instructions } = decompileTransactionMessage(compiled);
  const memos = instructions.filter(({ programAddress }) => programAddress === MEMO_PROGRAM_ADDRESS);
  const texts = memos
    .map(({ data }) => Buffer.from(data as Uint8Array))
    .map((text) => `[${text.length}] ${text.toString()}`);
  return texts.length > 0 ? texts.join('; ') : null;
}

/** The fee of a message: for its signatures, and for its compute units at their price. */
function feeOf(compiled: CompiledMessage): number {
  const { instructions } = decompileTransactionMessage(compiled);
  const [limit, price] = [SET_COMPUTE_UNIT_LIMIT_DISCRIMINATOR, SET_COMPUTE_UNIT_PRICE_DISCRIMINATOR].map(
    (discriminator) =>
      instructions.find(
        ({ programAddress, data }) => programAddress === COMPUTE_BUDGET_PROGRAM_ADDRESS && data?.[0] === discriminator,
      )?.data,
  );
  const units = BigInt(limit ? getSetComputeUnitLimitInstructionDataDecoder().decode(limit).units : 0);
  const microLamports = price ? getSetComputeUnitPriceInstructionDataDecoder().decode(price).microLamports : 0n;
  return 5_000 * compiled.header.numSignerAccounts + Number((units * microLamports + 999_999n) / 1_000_000n);
}

/** JSON in which a bigint is a number with all its digits. */
function toJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? `bigint:${part}` : part)).replace(
    /"bigint:(\d+)"/g,
    '$1',
  );
}

async function tokenAccount(mint: string, owner: string): Promise<Address> {
  const [account] = await findAssociatedTokenPda({
    mint: address(mint),
    owner: address(owner),
    tokenProgram: TOKEN_PROGRAM_ADDRESS,
  });
  return account;
}

import {
  type Address,
  address,
  getAddressDecoder,
  getBase58Decoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  lamports,
  type MaybeEncodedAccount,
  type Transaction,
} from '@solana/kit';
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
import { FailedTransactionMetadata, LiteSVM } from 'litesvm';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SolanaSettings {
  /** Milliseconds between slots; absent: only `advance` moves on. */
  readonly slotMs?: number;
  /** How many slots after its own a block is finalized; 31 on the real chain. */
  readonly finalizedAfter?: number;
}

type Commitment = 'processed' | 'confirmed' | 'finalized';

interface Landed {
  readonly signature: string;
  readonly slot: number;
  readonly err: unknown;
  readonly fee: number;
  readonly wire: string;
  readonly addresses: readonly Address[];
  readonly before: readonly MaybeEncodedAccount[];
  readonly after: readonly MaybeEncodedAccount[];
}

/** How long a blockhash may be used, in blocks. */
const BLOCKHASH_LIFE = 150;
/** How many slots of statuses a node remembers without searching its history. */
const STATUS_CACHE = 300;
const CONFIRMED_AFTER = 1;
/** Slots in which no block was made, so that block heights and slots differ as they do on the real chain. */
const SKIPPED_SLOTS = 1_000;

/**
 * Solana's own runtime (litesvm) behind a node's JSON-RPC. litesvm carries transactions out; what it lacks is added
 * here: slots, block heights, blockhashes that expire, commitments, the status of signatures, forks. Accounts are always
 * read as of the newest slot.
 */
export class SolanaRuntime {
  /** Replaced, it decides what becomes of bytes the node has accepted: carried out now, kept for `release`, or forgotten. */
  fate: (signature: string) => 'land' | 'hold' | 'forget' = () => 'land';
  /** Slots by which the node's statuses lag behind its blocks, as those of another machine behind the same address would. */
  statusLag = 0;
  /** How many transactions were carried out, the failed ones included. */
  get landedCount(): number {
    return this.landed.size;
  }

  private readonly svm = new LiteSVM().withBlockhashCheck(false).withTransactionHistory(0n);
  private readonly seed = randomBytes(32);
  private readonly landed = new Map<string, Landed>();
  private readonly held = new Map<string, { transaction: Transaction; wire: string }>();
  private readonly heightOf = new Map<string, number>();
  private firstSlot = 0;
  private slot = SKIPPED_SLOTS + 100;
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
    if (slotMs !== undefined) runtime.clock = setInterval(() => runtime.advance(), slotMs).unref();
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

  /** Moves on by so many slots, each with a block. */
  advance(slots = 1): void {
    this.slot += slots;
    this.svm.warpToSlot(BigInt(this.slot));
  }

  /** Moves on until no blockhash given out so far can be used, and that is final. */
  expireBlockhashes(): void {
    this.advance(BLOCKHASH_LIFE + this.finalizedAfter + 2);
  }

  /** Carries out what was held, as far as its blockhash still allows. */
  release(): void {
    for (const [signature, { transaction, wire }] of this.held) {
      if (!this.refusal(signature, transaction)) this.land(signature, transaction, wire);
    }
    this.held.clear();
  }

  /** Drops the newest blocks: what was carried out in them is undone and may be carried out again. Never a finalized one. */
  fork(slots: number): void {
    const from = Math.max(this.slot - slots, this.slot - this.finalizedAfter) + 1;
    const undone = [...this.landed.values()].filter(({ slot }) => slot >= from).reverse();
    for (const { signature, addresses, before } of undone) {
      for (const [index, account] of before.entries()) this.restore(addresses[index]!, account);
      this.landed.delete(signature);
    }
  }

  /** Throws away the blocks before a slot, and with them the statuses of what they held. */
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

  /** A new mint, its address. */
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

  /** Puts tokens into the account of an owner; `changes` make the account something else than it should be. */
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

  async tokenBalance(mint: string, owner: string): Promise<bigint> {
    const account = this.svm.getAccount(await tokenAccount(mint, owner));
    return account.exists && account.data.length === getTokenSize()
      ? getTokenDecoder().decode(account.data).amount
      : 0n;
  }

  /** Makes an address the account of a program. */
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

  // What a node answers.

  private readonly methods: Readonly<Record<string, (...params: never[]) => unknown>> = {
    getHealth: () => 'ok',
    getGenesisHash: () => this.blockhashAt(0),
    getSlot: (config?: Committed) => this.slotAt(config),
    getBlockHeight: (config?: Committed) => this.slotAt(config) - SKIPPED_SLOTS,
    getFirstAvailableBlock: () => this.firstSlot,
    getEpochInfo: (config?: Committed) => {
      const absoluteSlot = this.slotAt(config);
      return {
        absoluteSlot,
        blockHeight: absoluteSlot - SKIPPED_SLOTS,
        epoch: 0,
        slotIndex: absoluteSlot,
        slotsInEpoch: 432_000,
        transactionCount: this.landed.size,
      };
    },
    getLatestBlockhash: (config?: Committed) => {
      const slot = this.slotAt(config);
      const height = slot - SKIPPED_SLOTS;
      return {
        context: { slot },
        value: { blockhash: this.blockhashAt(height), lastValidBlockHeight: height + BLOCKHASH_LIFE },
      };
    },
    getMinimumBalanceForRentExemption: (bytes: number) => this.svm.minimumBalanceForRentExemption(BigInt(bytes)),
    getFeeForMessage: (message: string) => {
      const compiled = getCompiledTransactionMessageDecoder().decode(Buffer.from(message, 'base64'));
      const isUsable = 'lifetimeToken' in compiled && this.isUsable(compiled.lifetimeToken);
      return this.inContext(isUsable ? 5_000 * compiled.header.numSignerAccounts : null);
    },
    getBalance: (account: string) => this.inContext(this.balance(account)),
    getAccountInfo: (account: string) => this.inContext(this.account(account)),
    getMultipleAccounts: (accounts: string[]) => this.inContext(accounts.map((account) => this.account(account))),
    sendTransaction: (wire: string, config?: { skipPreflight?: boolean }) =>
      this.accept(wire, config?.skipPreflight ?? false),
    getSignatureStatuses: (signatures: string[], config?: { searchTransactionHistory?: boolean }) => {
      if (signatures.length > 256) throw new Error('Too many inputs provided; max 256');
      const now = this.slot - this.statusLag;
      const since = Math.max(this.firstSlot, config?.searchTransactionHistory ? 0 : now - STATUS_CACHE);
      return {
        context: { slot: now },
        value: signatures.map((signature) => {
          const found = this.landed.get(signature);
          if (!found || found.slot > now || found.slot < since) return null;
          const { slot, err } = found;
          const confirmationStatus = this.commitmentOf(slot);
          const confirmations = confirmationStatus === 'finalized' ? null : this.slot - slot;
          return { slot, confirmations, err, status: err === null ? { Ok: null } : { Err: err }, confirmationStatus };
        }),
      };
    },
    getTransaction: (signature: string, config?: Committed) => {
      const found = this.landed.get(signature);
      if (!found || found.slot < this.firstSlot || found.slot > this.slotAt(config)) return null;
      const balancesOf = (accounts: readonly MaybeEncodedAccount[]) =>
        accounts.map((account) => (account.exists ? account.lamports : 0n));
      return {
        slot: found.slot,
        blockTime: Math.floor(Date.now() / 1000),
        transaction: [found.wire, 'base64'],
        version: 0,
        meta: {
          err: found.err,
          status: found.err === null ? { Ok: null } : { Err: found.err },
          fee: found.fee,
          preBalances: balancesOf(found.before),
          postBalances: balancesOf(found.after),
          innerInstructions: [],
          logMessages: [],
          preTokenBalances: [],
          postTokenBalances: [],
          rewards: [],
        },
      };
    },
  };

  private accept(wire: string, skipPreflight: boolean): string {
    const transaction = getTransactionDecoder().decode(Buffer.from(wire, 'base64'));
    const signature = getBase58Decoder().decode(Object.values(transaction.signatures)[0]!);
    const refusal = this.refusal(signature, transaction);
    if (refusal && !skipPreflight) throw new SimulationFailed(refusal);
    if (refusal) return signature;
    if (!skipPreflight && this.svm.simulateTransaction(transaction) instanceof FailedTransactionMetadata) {
      throw new SimulationFailed(FAILED);
    }
    const fate = this.fate(signature);
    if (fate === 'hold') this.held.set(signature, { transaction, wire });
    if (fate === 'land') this.land(signature, transaction, wire);
    return signature;
  }

  /** Why the chain would not take the transaction into a block; null when it would. */
  private refusal(signature: string, transaction: Transaction): string | null {
    if (this.landed.has(signature)) return 'AlreadyProcessed';
    const compiled = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
    return 'lifetimeToken' in compiled && this.isUsable(compiled.lifetimeToken) ? null : 'BlockhashNotFound';
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
    // What fails without costing its fee was never in a block.
    if (failed && payer(before) === payer(after)) return;
    const err = failed ? FAILED : null;
    const fee = 5_000 * compiled.header.numSignerAccounts;
    this.landed.set(signature, { signature, slot: this.slot, err, fee, wire, addresses, before, after });
  }

  private account(account: string): unknown {
    const found = this.svm.getAccount(address(account));
    if (!found.exists) return null;
    return {
      lamports: found.lamports,
      owner: found.programAddress,
      data: [Buffer.from(found.data).toString('base64'), 'base64'],
      executable: found.executable,
      rentEpoch: 2n ** 64n - 1n,
      space: found.data.length,
    };
  }

  private inContext(value: unknown): unknown {
    return { context: { slot: this.slot }, value };
  }

  private commitmentOf(slot: number): Commitment {
    if (this.slot - slot >= this.finalizedAfter) return 'finalized';
    return this.slot - slot >= CONFIRMED_AFTER ? 'confirmed' : 'processed';
  }

  private slotAt({ commitment = 'finalized' }: Committed = {}): number {
    return this.slot - { processed: 0, confirmed: CONFIRMED_AFTER, finalized: this.finalizedAfter }[commitment];
  }

  private blockhashAt(height: number): string {
    const hash = getBase58Decoder().decode(createHash('sha256').update(this.seed).update(String(height)).digest());
    this.heightOf.set(hash, height);
    return hash;
  }

  private isUsable(blockhash: string): boolean {
    const height = this.heightOf.get(blockhash);
    return height !== undefined && this.slot - SKIPPED_SLOTS <= height + BLOCKHASH_LIFE;
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const asked = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Call | Call[];
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
      return { result: handler(...(params as never[])) };
    } catch (error) {
      const { message } = error as Error;
      if (!(error instanceof SimulationFailed)) return { error: { code: -32_603, message } };
      return {
        error: { code: -32_002, message, data: { err: error.err, logs: [], accounts: null, unitsConsumed: 0 } },
      };
    }
  }
}

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params?: unknown[];
}

interface Committed {
  readonly commitment?: Commitment;
}

/** How a transaction that failed is told of, whatever it failed at. */
const FAILED = { InstructionError: [0, { Custom: 1 }] };

class SimulationFailed extends Error {
  constructor(readonly err: unknown) {
    super(`Transaction simulation failed: ${JSON.stringify(err)}`);
  }
}

/** JSON in which a bigint is a number of as many digits as it has. */
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

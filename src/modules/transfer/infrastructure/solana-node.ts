import {
  type Address,
  type Base64EncodedWireTransaction,
  type Blockhash,
  createDefaultRpcTransport,
  createSolanaRpcFromTransport,
  type ReadonlyUint8Array,
  type Signature,
  type TransactionMessageBytesBase64,
} from '@solana/kit';
import { addressed } from '../../../platform/outbound/addressed.js';
import { NodeAnswerUnreadable } from './chain-node.js';

export interface SolanaNodeSettings {
  readonly url: string;
  /** From the call to the last byte of the answer. */
  readonly timeoutMs?: number;
}

export interface Account {
  readonly lamports: bigint;
  readonly owner: Address;
  readonly data: Uint8Array;
  readonly executable: boolean;
}

export interface Lifetime {
  readonly blockhash: Blockhash;
  readonly lastValidBlockHeight: bigint;
  /** The slot it was asked at: no transaction with this blockhash is in a block before it. */
  readonly slot: bigint;
}

/** Null: the node knows of no transaction with this signature. */
export type SignatureStatus = {
  readonly slot: bigint;
  readonly level: 'processed' | 'confirmed' | 'finalized';
  readonly failed: boolean;
} | null;

interface Statuses {
  /** How far the node had come. */
  readonly slot: bigint;
  readonly of: readonly SignatureStatus[];
}

interface RawStatuses {
  readonly context: { readonly slot: unknown };
  readonly value: readonly ({
    readonly slot: unknown;
    readonly confirmationStatus: unknown;
    readonly err: unknown;
  } | null)[];
}

type Call = readonly [method: string, params: readonly unknown[]];

/** How many signatures a node looks up at once. */
const MOST_SIGNATURES = 256;

export interface FinalTransaction {
  readonly slot: bigint;
  readonly failed: boolean;
  readonly fee: bigint;
  /** What the payer of the fee held before and after. */
  readonly payer: { readonly before: bigint; readonly after: bigint };
}

/**
 * What the service asks of a Solana node. Every answer is read strictly: one of the wrong form throws, for a misread
 * "no" could pay twice. Nothing is cached, tried again or decided here.
 */
export class SolanaNode {
  private readonly transport;
  private readonly rpc;
  private knownGenesis: Promise<string> | null = null;

  constructor(private readonly settings: SolanaNodeSettings) {
    this.transport = createDefaultRpcTransport(addressed(settings.url));
    this.rpc = createSolanaRpcFromTransport(this.transport);
  }

  /** The hash of the genesis block: which cluster the node is of. */
  genesisHash(): Promise<string> {
    this.knownGenesis ??= this.rpc
      .getGenesisHash()
      .send(this.bounded())
      .then((hash: unknown) => textOf(hash, 'a genesis hash'))
      .catch((error: unknown) => {
        this.knownGenesis = null;
        throw error;
      });
    return this.knownGenesis;
  }

  async latestBlockhash(): Promise<Lifetime> {
    const { context, value } = await this.rpc.getLatestBlockhash({ commitment: 'confirmed' }).send(this.bounded());
    return {
      blockhash: textOf(value.blockhash, 'a blockhash') as Blockhash,
      lastValidBlockHeight: bigintOf(value.lastValidBlockHeight),
      slot: bigintOf(context.slot),
    };
  }

  /** Null where there is no account; and the slot they are of. */
  async accounts(
    addresses: readonly Address[],
  ): Promise<{ readonly slot: bigint; readonly of: readonly (Account | null)[] }> {
    const { context, value } = await this.rpc
      .getMultipleAccounts([...addresses], { commitment: 'confirmed', encoding: 'base64' })
      .send(this.bounded());
    const of = listOf(value, addresses.length).map((account) => {
      if (account === null) return null;
      if (typeof account.executable !== 'boolean') throw new NodeAnswerUnreadable('an account');
      return {
        lamports: bigintOf(account.lamports),
        owner: textOf(account.owner, 'an owner') as Address,
        data: Buffer.from(textOf(account.data[0], 'the data of an account'), 'base64'),
        executable: account.executable,
      };
    });
    return { slot: bigintOf(context.slot), of };
  }

  /** What an account with so much data must hold to stay. */
  async rentExemptMinimum(bytes: number): Promise<bigint> {
    return bigintOf(await this.rpc.getMinimumBalanceForRentExemption(BigInt(bytes)).send(this.bounded()));
  }

  /** What the chain takes for carrying out the message. */
  async fee(message: ReadonlyUint8Array): Promise<bigint> {
    const encoded = Buffer.from(message as Uint8Array).toString('base64') as TransactionMessageBytesBase64;
    const { value } = await this.rpc.getFeeForMessage(encoded, { commitment: 'confirmed' }).send(this.bounded());
    return bigintOf(value);
  }

  /** The signature under which the node took the bytes. Whatever it throws, the transaction may be on its way. */
  async send(raw: Uint8Array): Promise<string> {
    const encoded = Buffer.from(raw).toString('base64') as Base64EncodedWireTransaction;
    // Tried out first at the commitment its blockhash was asked at: a transaction that would fail costs its fee.
    return textOf(
      await this.rpc
        .sendTransaction(encoded, { encoding: 'base64', preflightCommitment: 'confirmed' })
        .send(this.bounded()),
      'a signature',
    );
  }

  /** The newest finalized block: its slot, and how many blocks there are up to it. */
  async finalized(): Promise<{ readonly slot: bigint; readonly blockHeight: bigint }> {
    const { absoluteSlot, blockHeight } = await this.rpc.getEpochInfo({ commitment: 'finalized' }).send(this.bounded());
    return { slot: bigintOf(absoluteSlot), blockHeight: bigintOf(blockHeight) };
  }

  /** The statuses, searched in all of the node's history, and the slot it had come to. */
  async statuses(signatures: readonly string[]): Promise<Statuses> {
    const answers = portionsOf(signatures).map(async (portion) => {
      const asked = this.rpc.getSignatureStatuses(portion as Signature[], { searchTransactionHistory: true });
      return statusesOf(await asked.send(this.bounded()), portion.length);
    });
    return together(await Promise.all(answers));
  }

  /**
   * The statuses, and the first slot the node still has the transactions of, asked in one request: behind a load balancer
   * too they come from one machine.
   */
  async statusesAndHistory(signatures: readonly string[]): Promise<Statuses & { readonly firstSlotKept: bigint }> {
    const portions = portionsOf(signatures);
    const [first, ...statuses] = await this.sendTogether([
      ['getFirstAvailableBlock', []],
      ...portions.map((portion): Call => ['getSignatureStatuses', [portion, { searchTransactionHistory: true }]]),
    ]);
    const answers = portions.map(({ length }, index) => statusesOf(statuses[index] as RawStatuses, length));
    return { ...together(answers), firstSlotKept: bigintOf(first) };
  }

  /** Null when the node has no finalized transaction of this signature. */
  async finalTransaction(signature: string): Promise<FinalTransaction | null> {
    const found = await this.rpc
      .getTransaction(signature as Signature, {
        commitment: 'finalized',
        encoding: 'base64',
        maxSupportedTransactionVersion: 0,
      })
      .send(this.bounded());
    if (found === null) return null;
    if (!found.meta || found.meta.err === undefined) throw new NodeAnswerUnreadable('a transaction');
    return {
      slot: bigintOf(found.slot),
      failed: found.meta.err !== null,
      fee: bigintOf(found.meta.fee),
      payer: { before: bigintOf(found.meta.preBalances[0]), after: bigintOf(found.meta.postBalances[0]) },
    };
  }

  /** The results of several calls sent as one request. Throws unless each has one. */
  private async sendTogether(calls: readonly Call[]): Promise<unknown[]> {
    const answers = await this.transport<unknown>({
      payload: calls.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params })),
      signal: this.bounded().abortSignal,
    });
    return calls.map((_, id) => {
      const [answer, ...others] = Array.isArray(answers) ? answers.filter((each) => each?.id === id) : [];
      if (answer?.result === undefined || others.length > 0) throw new NodeAnswerUnreadable('an answer to each call');
      return answer.result as unknown;
    });
  }

  private bounded(): { abortSignal: AbortSignal } {
    return { abortSignal: AbortSignal.timeout(this.settings.timeoutMs ?? 10_000) };
  }
}

function portionsOf(signatures: readonly string[]): string[][] {
  const count = Math.ceil(signatures.length / MOST_SIGNATURES);
  return Array.from({ length: count }, (_, index) =>
    signatures.slice(index * MOST_SIGNATURES, (index + 1) * MOST_SIGNATURES),
  );
}

function together(answers: readonly Statuses[]): Statuses {
  return {
    slot: answers.map(({ slot }) => slot).reduce((a, b) => (a < b ? a : b)),
    of: answers.flatMap(({ of }) => of),
  };
}

function statusesOf({ context, value }: RawStatuses, length: number): Statuses {
  const of = listOf(value, length).map((status): SignatureStatus => {
    if (status === null) return null;
    const level = status.confirmationStatus;
    if ((level !== 'processed' && level !== 'confirmed' && level !== 'finalized') || status.err === undefined) {
      throw new NodeAnswerUnreadable('the status of a signature');
    }
    return { slot: bigintOf(status.slot), level, failed: status.err !== null };
  });
  return { slot: bigintOf(context.slot), of };
}

/** Of a request of several calls numbers come as such. */
function bigintOf(answer: unknown): bigint {
  if (typeof answer === 'number' && Number.isSafeInteger(answer)) return bigintOf(BigInt(answer));
  if (typeof answer !== 'bigint' || answer < 0n) throw new NodeAnswerUnreadable('a number');
  return answer;
}

function textOf(answer: unknown, what: string): string {
  if (typeof answer !== 'string') throw new NodeAnswerUnreadable(what);
  return answer;
}

function listOf<T>(answer: readonly T[], length: number): readonly T[] {
  if (!Array.isArray(answer) || answer.length !== length || answer.includes(undefined)) {
    throw new NodeAnswerUnreadable('the list asked for');
  }
  return answer as readonly T[];
}

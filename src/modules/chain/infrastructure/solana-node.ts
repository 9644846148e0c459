import {
  type Address,
  type Base64EncodedWireTransaction,
  type Blockhash,
  createSolanaRpcFromTransport,
  isSolanaError,
  type ReadonlyUint8Array,
  type RpcTransport,
  type Signature,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_BLOCK_CLEANED_UP,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_BLOCK_NOT_AVAILABLE,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_LONG_TERM_STORAGE_SLOT_SKIPPED,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SLOT_SKIPPED,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_HISTORY_NOT_AVAILABLE,
  SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR,
  SolanaError,
  type TransactionMessageBytesBase64,
} from '@solana/kit';
import { parseJsonWithBigInts, stringifyJsonWithBigInts } from '@solana/rpc-spec-types';
import type { HostNames } from '../../../services/outbound/host-names.js';
import { OperatorEndpoint } from '../../../services/outbound/operator-endpoint.js';
import type { StuckReason } from '../../../kernel/chain/payment-status.js';
import { NodeAnswerUnreadable, NodeFault } from './chain-node.js';

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

/** A finalized block, by what links it to the one before it, and the signatures of all transactions in it. */
export interface Block {
  readonly slot: number;
  readonly height: number;
  readonly blockhash: string;
  readonly previousBlockhash: string;
  readonly signatures: readonly string[];
}

/** What keeps a proof from being complete, though the node answered. */
export abstract class ProofFault extends NodeFault {
  abstract readonly stuckReason: StuckReason;
}

/** The node does not have a block that a proof needs. */
export class HistoryMissing extends ProofFault {
  override readonly name = 'HistoryMissing';
  readonly stuckReason = 'node_lacks_history';
  constructor() {
    super('The node lacks a block in which the transaction may have been carried out.');
  }
}

/** Answers that cannot all be true. */
export class NodesDisagree extends ProofFault {
  override readonly name = 'NodesDisagree';
  readonly stuckReason = 'nodes_disagree';
  constructor() {
    super('The answers about a transaction contradict each other.');
  }
}

/** How a node says that it does not have a block. */
const NO_BLOCK = [
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_BLOCK_CLEANED_UP,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_BLOCK_NOT_AVAILABLE,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SLOT_SKIPPED,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_LONG_TERM_STORAGE_SLOT_SKIPPED,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_HISTORY_NOT_AVAILABLE,
] as const;

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
  private readonly rpc;
  private knownNetwork: Promise<string> | null = null;

  constructor(
    private readonly settings: SolanaNodeSettings,
    names?: HostNames,
  ) {
    this.rpc = createSolanaRpcFromTransport(transportTo(new OperatorEndpoint(settings.url, names)));
  }

  /** The cluster the node is on: CAIP-2 names it by the first 32 characters of the hash of its genesis block. */
  network(): Promise<string> {
    this.knownNetwork ??= this.rpc
      .getGenesisHash()
      .send(this.bounded())
      .then((hash: unknown) => `solana:${textOf(hash, 'a genesis hash').slice(0, 32)}`)
      .catch((error: unknown) => {
        this.knownNetwork = null;
        throw error;
      });
    return this.knownNetwork;
  }

  async latestBlockhash(): Promise<Lifetime> {
    const { context, value } = await this.rpc.getLatestBlockhash({ commitment: 'confirmed' }).send(this.bounded());
    return {
      blockhash: textOf(value.blockhash, 'a blockhash') as Blockhash,
      lastValidBlockHeight: placeOf(value.lastValidBlockHeight),
      slot: placeOf(context.slot),
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
    return { slot: placeOf(context.slot), of };
  }

  /** What an account with so much data must hold to stay. */
  async rentExemptMinimum(bytes: number): Promise<bigint> {
    return bigintOf(await this.rpc.getMinimumBalanceForRentExemption(BigInt(bytes)).send(this.bounded()));
  }

  /** The least that transactions which wrote to these accounts paid for a compute unit, in each of the last blocks. */
  async recentUnitPrices(accounts: readonly Address[]): Promise<bigint[]> {
    const fees = await this.rpc.getRecentPrioritizationFees(accounts).send(this.bounded());
    if (!Array.isArray(fees)) throw new NodeAnswerUnreadable('the list asked for');
    return fees.map((each: { readonly prioritizationFee?: unknown }) => bigintOf(each.prioritizationFee));
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
    return { slot: placeOf(absoluteSlot), blockHeight: placeOf(blockHeight) };
  }

  /** The statuses, searched in all of the node's history, and the slot it had come to. */
  async statuses(signatures: readonly string[]): Promise<Statuses> {
    const answers = portionsOf(signatures).map(async (portion) => {
      const asked = this.rpc.getSignatureStatuses(portion as Signature[], { searchTransactionHistory: true });
      return statusesOf(await asked.send(this.bounded()), portion.length);
    });
    return together(await Promise.all(answers));
  }

  /** The slots of the node's finalized blocks from a slot on. A node may leave out blocks that it does not have. */
  async slotsFrom(slot: number, limit: number): Promise<number[]> {
    const slots = await orHistoryMissing(
      this.rpc.getBlocksWithLimit(BigInt(slot), limit, { commitment: 'finalized' }).send(this.bounded()),
    );
    if (!Array.isArray(slots) || slots.length > limit) throw new NodeAnswerUnreadable('the list asked for');
    return slots.map((each) => Number(placeOf(each)));
  }

  /** The finalized block of a slot. Throws `HistoryMissing` when the node does not have it. */
  async block(slot: number): Promise<Block> {
    const block = await orHistoryMissing(
      this.rpc
        .getBlock(BigInt(slot), {
          commitment: 'finalized',
          maxSupportedTransactionVersion: 0,
          rewards: false,
          transactionDetails: 'signatures',
        })
        .send(this.bounded()),
    );
    if (block === null) throw new HistoryMissing();
    if (!Array.isArray(block.signatures)) throw new NodeAnswerUnreadable('a block');
    return {
      slot,
      height: Number(placeOf(block.blockHeight)),
      blockhash: textOf(block.blockhash, 'a blockhash'),
      previousBlockhash: textOf(block.previousBlockhash, 'a blockhash'),
      signatures: block.signatures.map((signature) => textOf(signature, 'a signature')),
    };
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
      slot: placeOf(found.slot),
      failed: found.meta.err !== null,
      fee: bigintOf(found.meta.fee),
      payer: { before: bigintOf(found.meta.preBalances[0]), after: bigintOf(found.meta.postBalances[0]) },
    };
  }

  private bounded(): { abortSignal: AbortSignal } {
    return { abortSignal: AbortSignal.timeout(this.settings.timeoutMs ?? 10_000) };
  }
}

/** As kit's own, which leaves look-ups to libuv's threads: integers are bigints, and a refusal of HTTP is the same error. */
function transportTo(endpoint: OperatorEndpoint): RpcTransport {
  return async <T>({ payload, signal }: Parameters<RpcTransport>[0]): Promise<T> => {
    const { status, statusText, headers, body } = await endpoint.post(stringifyJsonWithBigInts(payload), { signal });
    if (status < 200 || status > 299) {
      throw new SolanaError(SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR, {
        headers: new Headers(Object.entries(headers).map(([name, value]) => [name, String(value)])),
        message: statusText,
        statusCode: status,
      });
    }
    return parseJsonWithBigInts(body.toString('utf8')) as T;
  };
}

async function orHistoryMissing<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (NO_BLOCK.some((code) => isSolanaError(error, code))) throw new HistoryMissing();
    throw error;
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
    return { slot: placeOf(status.slot), level, failed: status.err !== null };
  });
  return { slot: placeOf(context.slot), of };
}

/** A slot or a height: higher ones than a number holds exactly do not exist, and could not be stored. */
function placeOf(answer: unknown): bigint {
  const place = bigintOf(answer);
  if (place > Number.MAX_SAFE_INTEGER) throw new NodeAnswerUnreadable('a slot or a height');
  return place;
}

function bigintOf(answer: unknown): bigint {
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

import { createHash } from 'node:crypto';
import type {
  Address,
  Base64EncodedWireTransaction,
  Blockhash,
  ReadonlyUint8Array,
  Signature,
  TransactionMessageBytesBase64,
} from '@solana/kit';
import type { NetworkBlock } from '../../../../kernel/chain/chain.js';
import { portionsOf } from '../../../../kernel/collections.js';
import type { HostNames } from '../../../../services/outbound/host-names.js';
import { blockTimeOf } from '../block-time.js';
import { MinuteCheck } from '../minute-check.js';
import { AnotherChain, NodeAnswerUnreadable, WrongNetwork } from '../node-faults.js';
import type { StoredNetworks } from '../typeorm-known-networks.js';
import { signedMessageIn } from './solana-message.js';
import { HistoryMissing, orHistoryMissing, solanaRpcTo } from './solana-rpc.js';
import {
  type Account,
  bigintOf,
  type Block,
  type FinalTransaction,
  type Lifetime,
  type ListedSignature,
  listOf,
  type PaidBlock,
  paidTransactionOf,
  placeOf,
  type RawPaidTransaction,
  type Statuses,
  statusesOf,
  textOf,
  together,
} from './solana-answers.js';

export interface SolanaNodeSettings {
  readonly url: string;
  readonly name: string;
  /** CAIP-2 name; null: the cluster of the first use. */
  readonly id: string | null;
  /** The names of networks before this one in the configuration, which keep a cluster that they share with it. */
  readonly preferred: readonly string[];
  readonly timeoutMs: number;
  readonly networks: StoredNetworks;
}

const MOST_SIGNATURES = 256;
const FINAL_BLOCK = { commitment: 'finalized', maxSupportedTransactionVersion: 0, rewards: false } as const;

/** No question is asked before the node is known to be on its cluster. Nothing else is cached, repeated or decided here. */
export class SolanaNode {
  private readonly rpc;
  private readonly checked = new MinuteCheck(() => this.askNetwork());
  /** Stored under the network's name, not the cluster's: a process whose URL leads elsewhere at its start must not adopt that cluster. */
  private known: NetworkBlock | null = null;

  constructor(
    private readonly settings: SolanaNodeSettings,
    names?: HostNames,
  ) {
    this.rpc = solanaRpcTo(settings.url, names);
  }

  /** Names the endpoint in stored progress. The URL may contain a password. */
  get digest(): string {
    return createHash('sha256').update(this.settings.url).digest('base64url');
  }

  /** The response is at most a minute old. Throws `AnotherChain` on another cluster than the first that any process has used. */
  network(): Promise<string> {
    return this.checked.run();
  }

  /** Call it after responses that a conclusion rests on: it throws if the URL was moved, or names machines of several clusters. */
  async assertNotMoved(): Promise<void> {
    await this.network();
    this.checked.forget();
    await this.network();
  }

  private async askNetwork(): Promise<string> {
    const answer: unknown = await this.rpc.getGenesisHash().send(this.limit());
    const first = { number: 0, hash: textOf(answer, 'a genesis hash') };
    const { id, name, networks } = this.settings;
    if (id !== null && id !== clusterOf(first))
      throw new WrongNetwork(`The node is on ${clusterOf(first)}; the service is configured for ${id}.`);
    // The operator may have made the service forget an earlier cluster, so the stored one is read again.
    if (this.known?.hash !== first.hash)
      this.known = (await networks.find(name)) ?? (await networks.remember(name, first));
    if (this.known.hash !== first.hash)
      throw new AnotherChain(
        `The node is on ${clusterOf(first)}, and the service uses ${clusterOf(this.known)}. ` +
          `If the cluster was changed on purpose, run the command \`networks begin-anew --network ${name} --reason <text>\`.`,
      );
    await this.assertNotShared(first);
    return clusterOf(first);
  }

  /** One cluster under two names would have two queues and budgets. Asked each time: the preferred one may be stored later. */
  private async assertNotShared({ hash }: NetworkBlock): Promise<void> {
    const { preferred, networks } = this.settings;
    for (const name of preferred)
      if ((await networks.find(name))?.hash === hash)
        throw new WrongNetwork(
          `The node is on the cluster of the network ${name}. Remove one of both from the configuration.`,
        );
  }

  async latestBlockhash(): Promise<Lifetime> {
    const { context, value } = await this.rpc
      .getLatestBlockhash({ commitment: 'confirmed' })
      .send(await this.bounded());
    return {
      blockhash: textOf(value.blockhash, 'a blockhash') as Blockhash,
      lastValidBlockHeight: placeOf(value.lastValidBlockHeight),
      slot: placeOf(context.slot),
    };
  }

  async accounts(
    addresses: readonly Address[],
  ): Promise<{ readonly slot: bigint; readonly of: readonly (Account | null)[] }> {
    const { context, value } = await this.rpc
      .getMultipleAccounts([...addresses], { commitment: 'confirmed', encoding: 'base64' })
      .send(await this.bounded());
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

  async rentExemptMinimum(bytes: number): Promise<bigint> {
    return bigintOf(await this.rpc.getMinimumBalanceForRentExemption(BigInt(bytes)).send(await this.bounded()));
  }

  /** The lowest price per compute unit of transactions that wrote to these accounts, for each block. */
  async recentUnitPrices(accounts: readonly Address[]): Promise<bigint[]> {
    const fees = await this.rpc.getRecentPrioritizationFees(accounts).send(await this.bounded());
    if (!Array.isArray(fees)) throw new NodeAnswerUnreadable('the list asked for');
    return fees.map((each: { readonly prioritizationFee?: unknown }) => bigintOf(each.prioritizationFee));
  }

  async fee(message: ReadonlyUint8Array): Promise<bigint> {
    const encoded = Buffer.from(message as Uint8Array).toString('base64') as TransactionMessageBytesBase64;
    const { value } = await this.rpc.getFeeForMessage(encoded, { commitment: 'confirmed' }).send(await this.bounded());
    return bigintOf(value);
  }

  /** After an error the transaction may have been sent too. The cluster is not compared: another one refuses the blockhash. */
  async send(raw: Uint8Array): Promise<string> {
    const encoded = Buffer.from(raw).toString('base64') as Base64EncodedWireTransaction;
    // It is simulated at the commitment of its blockhash: a transaction that fails on the chain costs its fee.
    return textOf(
      await this.rpc
        .sendTransaction(encoded, { encoding: 'base64', preflightCommitment: 'confirmed' })
        .send(this.limit()),
      'a signature',
    );
  }

  async finalized(): Promise<{ readonly slot: bigint; readonly blockHeight: bigint }> {
    const { absoluteSlot, blockHeight } = await this.rpc
      .getEpochInfo({ commitment: 'finalized' })
      .send(await this.bounded());
    return { slot: placeOf(absoluteSlot), blockHeight: placeOf(blockHeight) };
  }

  async blockHeight(commitment: 'processed' | 'finalized'): Promise<number> {
    return Number(placeOf(await this.rpc.getBlockHeight({ commitment }).send(await this.bounded())));
  }

  /** The node searches its whole history. */
  async statuses(signatures: readonly string[]): Promise<Statuses> {
    const answers = portionsOf(signatures, MOST_SIGNATURES).map(async (portion) => {
      const asked = this.rpc.getSignatureStatuses(portion as Signature[], { searchTransactionHistory: true });
      return statusesOf(await asked.send(await this.bounded()), portion.length);
    });
    return together(await Promise.all(answers));
  }

  /** A node leaves out blocks that it does not have. */
  async slotsFrom(slot: number, limit: number): Promise<number[]> {
    const slots = await orHistoryMissing(
      this.rpc.getBlocksWithLimit(BigInt(slot), limit, { commitment: 'finalized' }).send(await this.bounded()),
    );
    if (!Array.isArray(slots) || slots.length > limit) throw new NodeAnswerUnreadable('the list asked for');
    return slots.map((each) => Number(placeOf(each)));
  }

  async block(slot: number): Promise<Block> {
    const asked = this.rpc.getBlock(BigInt(slot), { ...FINAL_BLOCK, transactionDetails: 'signatures' });
    const block = await existing(asked.send(await this.bounded()));
    if (!Array.isArray(block.signatures)) throw new NodeAnswerUnreadable('a block');
    return {
      slot,
      height: Number(placeOf(block.blockHeight)),
      blockhash: textOf(block.blockhash, 'a blockhash'),
      previousBlockhash: textOf(block.previousBlockhash, 'a blockhash'),
      parentSlot: Number(placeOf(block.parentSlot)),
      signatures: block.signatures.map((signature) => textOf(signature, 'a signature')),
      time: blockTimeOf(Number(block.blockTime ?? NaN)),
    };
  }

  async paidBlock(slot: number): Promise<PaidBlock> {
    const asked = this.rpc.getBlock(BigInt(slot), { ...FINAL_BLOCK, transactionDetails: 'accounts' });
    const block = await existing(asked.send(await this.bounded()));
    if (!Array.isArray(block.transactions)) throw new NodeAnswerUnreadable('a block');
    return {
      slot,
      parentSlot: Number(placeOf(block.parentSlot)),
      blockhash: textOf(block.blockhash, 'a blockhash'),
      previousBlockhash: textOf(block.previousBlockhash, 'a blockhash'),
      time: block.blockTime === null ? null : new Date(Number(placeOf(block.blockTime)) * 1_000),
      transactions: block.transactions.map((each) => paidTransactionOf(each as unknown as RawPaidTransaction)),
    };
  }

  async blockhashAt(slot: number): Promise<string> {
    const asked = this.rpc.getBlock(BigInt(slot), { ...FINAL_BLOCK, transactionDetails: 'none' });
    const block = await existing(asked.send(await this.bounded()));
    return textOf(block.blockhash, 'a blockhash');
  }

  async finalTransaction(signature: string): Promise<FinalTransaction | null> {
    const found = await this.transaction(signature, 'finalized');
    if (found === null) return null;
    if (!found.meta || found.meta.err === undefined) throw new NodeAnswerUnreadable('a transaction');
    return {
      slot: placeOf(found.slot),
      failed: found.meta.err !== null,
      fee: bigintOf(found.meta.fee),
      payer: { before: bigintOf(found.meta.preBalances[0]), after: bigintOf(found.meta.postBalances[0]) },
    };
  }

  async signaturesOf(account: string, limit: number, before?: string): Promise<ListedSignature[]> {
    const listed = await this.rpc
      .getSignaturesForAddress(account as Address, {
        commitment: 'confirmed',
        limit,
        ...(before !== undefined && { before: before as Signature }),
      })
      .send(await this.bounded());
    if (!Array.isArray(listed) || listed.length > limit) throw new NodeAnswerUnreadable('the list asked for');
    return listed.map(({ signature, memo, blockTime, confirmationStatus }) => ({
      hash: textOf(signature, 'a signature'),
      memo: memo === null ? '' : textOf(memo, 'a memo'),
      time: blockTime === null ? null : Number(bigintOf(blockTime)),
      isFinal: confirmationStatus === 'finalized',
    }));
  }

  /** Epoch seconds from which on the node keeps signatures; null when it keeps all, `Infinity` when it does not say. */
  async keepsSince(): Promise<number | null> {
    const slot = placeOf(await this.rpc.getFirstAvailableBlock().send(await this.bounded()));
    if (slot === 0n) return null;
    const time: unknown = await orHistoryMissing(this.rpc.getBlockTime(slot).send(await this.bounded()));
    return time === null ? Infinity : Number(bigintOf(time));
  }

  /** Its payer has signed it. Null when the node has none of this signature at this commitment. */
  async signedTransaction(
    signature: string,
    commitment: 'confirmed' | 'finalized' = 'finalized',
  ): Promise<{
    readonly payer: string;
    readonly raw: Uint8Array;
    readonly blockhash: string;
    readonly slot: number;
    readonly fee: bigint;
  } | null> {
    const found = await this.transaction(signature, commitment);
    if (found === null) return null;
    const raw = Buffer.from(textOf(found.transaction[0], 'the bytes of a transaction'), 'base64');
    const read = await signedMessageIn(raw);
    if (read?.signature !== signature) throw new NodeAnswerUnreadable('the transaction asked for');
    const { payer, blockhash } = read;
    return { payer, raw, blockhash, slot: Number(placeOf(found.slot)), fee: bigintOf(found.meta?.fee) };
  }

  private async transaction(signature: string, commitment: 'confirmed' | 'finalized') {
    const config = { commitment, encoding: 'base64', maxSupportedTransactionVersion: 0 } as const;
    return this.rpc.getTransaction(signature as Signature, config).send(await this.bounded());
  }

  private async bounded(): Promise<{ abortSignal: AbortSignal }> {
    await this.network();
    return this.limit();
  }

  private limit(): { abortSignal: AbortSignal } {
    return { abortSignal: AbortSignal.timeout(this.settings.timeoutMs) };
  }
}

async function existing<B>(answer: Promise<B | null>): Promise<B> {
  const block = await orHistoryMissing(answer);
  if (block === null) throw new HistoryMissing();
  return block;
}

function clusterOf({ hash }: NetworkBlock): string {
  return `solana:${hash.slice(0, 32)}`;
}

import { isDeepStrictEqual } from 'node:util';
import {
  type DepositSearch,
  type FinalBlock,
  type FoundDeposits,
  type IncomingPayment,
  nothingFound,
} from '../../../../kernel/chain/deposit.js';
import { portionsOf } from '../../../../kernel/collections.js';
import { ethereumAddressOf } from '../../../../services/crypto/keccak.js';
import { attested, type Endpoints } from '../endpoints.js';
import { inPortions, settledBefore } from '../in-portions.js';
import { AnotherChain, NodeAnswerUnreadable, NodeFault } from '../node-faults.js';
import type { Header, Place } from './block-links.js';
import type { Execution, PlacedLog } from './ethereum-answers.js';
import type { EthereumBlocks } from './ethereum-blocks.js';
import type { EthereumNode } from './ethereum-node.js';
import { movesIn, TRANSFER_LOG } from './ethereum-transaction.js';

const MOST_LINKS = 256;
const MOST_MS = 5_000;
const BLOCKS_AT_ONCE = 4;
const RECEIPTS_AT_ONCE = 8;
/** Nodes bound the addresses of one filter. */
const TOKENS_AT_ONCE = 200;

type Candidate = Omit<IncomingPayment, 'at'> & { readonly log?: PlacedLog };

/**
 * Parent hashes lead from the newest final block down to the last one searched, and each block is read by its hash. A wrong payment would
 * be credited, so of several endpoints two must show the same transaction and receipt, and have the last block as final. After a long stop
 * the descent takes several calls: its places are kept in memory. Inner calls that move the coin show in no block and are not found.
 */
export class EthereumDeposits {
  private reached: Place[] = [];
  /** The lowest first: each is the parent of the one after it. */
  private next: readonly Header[] = [];

  constructor(
    private readonly nodes: Endpoints<EthereumNode>,
    private readonly blocks: EthereumBlocks,
  ) {}

  async newest(): Promise<FinalBlock> {
    const [first, second = first] = await this.blocks.anchors(() => false);
    const final = await this.finalBelow(second!);
    if (!final || !(await this.blocks.isAttested(final))) throw new NodeFault('The newest final block cannot be read.');
    return final;
  }

  async search(search: DepositSearch): Promise<FoundDeposits> {
    const { after } = search;
    let newest = after.number;
    // An endpoint on another fork must not end the search: then every endpoint is asked.
    for (const all of [false, true]) {
      for (const anchor of await this.anchorsAbove(after, all)) {
        newest = Math.max(newest, anchor.number - this.blocks.depth);
        if (newest === after.number) return nothingFound(after, newest);
        const steps = this.reached.length;
        const headers = await this.headersAbove(after, anchor);
        if (headers?.length === 0) return { ...nothingFound(after, newest), hasMore: this.reached.length > steps };
        const next = headers?.slice(0, search.blocks);
        if (next) {
          // The second endpoint may lag, or the first one lead to a fork: headers that are not attested are searched anew.
          this.next = [];
          if (!(await this.blocks.isAttested(next.at(-1)!))) return nothingFound(after, newest);
          this.next = headers!;
          return this.searched(next, newest, search);
        }
      }
    }
    return { ...nothingFound(after, newest), isBroken: true };
  }

  /** Empty where the endpoints are on another chain. */
  private async anchorsAbove(after: Place, all: boolean): Promise<readonly Header[]> {
    try {
      return await this.blocks.anchors(({ number }) => number - this.blocks.depth > after.number, all);
    } catch (error) {
      if (error instanceof AnotherChain) return [];
      throw error;
    }
  }

  /** Empty while the descent goes on, null when the parent hashes do not lead to `after`. */
  private async headersAbove(after: Place, anchor: Header): Promise<readonly Header[] | null> {
    this.next = this.next.filter(({ number }) => number > after.number);
    if (this.next[0]?.parentHash === after.hash) return this.next;
    this.next = [];
    this.reached = this.reached.filter(({ number }) => number > after.number);
    let at = this.reached.at(-1) ?? (await this.finalBelow(anchor));
    if (!at) return [];
    const end = performance.now() + MOST_MS;
    const headers: Header[] = [];
    while (at.number > after.number && headers.length < MOST_LINKS && performance.now() < end) {
      const header: Header = await this.blocks.header(at).catch((error: unknown) => {
        // The place may be on a fork that is gone: the next part descends from the one above it.
        if (headers.length === 0) this.reached.pop();
        throw error;
      });
      headers.push(header);
      at = { number: at.number - 1, hash: header.parentHash };
    }
    if (at.number > after.number) {
      this.reached.push(at);
      return [];
    }
    if (at.hash !== after.hash) {
      this.reached = [];
      return null;
    }
    return headers.toReversed();
  }

  /** Null while it cannot be read, or the descent of the finality depth goes on. */
  private async finalBelow(anchor: Header): Promise<Place | null> {
    const number = Math.max(0, anchor.number - this.blocks.depth);
    const proof = await this.blocks.descendTo(anchor, number, []);
    return 'at' in proof && proof.at.number === number ? proof.at : null;
  }

  private async searched(headers: readonly Header[], newest: number, search: DepositSearch): Promise<FoundDeposits> {
    const found = await settledBefore(headers, BLOCKS_AT_ONCE, (header) => this.paymentsIn(header, search));
    const { number, hash } = headers[found.length - 1]!;
    return {
      upTo: { number, hash },
      newest,
      payments: found.flat(),
      isBroken: false,
      hasMore: newest > number,
    };
  }

  private async paymentsIn({ hash, number }: Header, { tokens, among }: DepositSearch): Promise<IncomingPayment[]> {
    const [block, logs] = await Promise.all([
      this.blocks.existing(hash, (node) => node.payingBlock(hash)),
      this.logsIn(hash, tokens),
    ]);
    const coins = block.transactions.map((transaction): Candidate => {
      const [from, to] = [addressOf(transaction.from), addressOf(transaction.to)];
      return { hash: transaction.hash, position: -1, token: null, from, to, amount: transaction.value, block: number };
    });
    const moves = logs.flatMap((log) => candidatesIn(log, tokens, number));
    const candidates = [...coins, ...moves].filter(({ from, to, amount }) => from !== to && amount > 0n);
    const ours = await among([...new Set(candidates.map(({ to }) => to))]);
    const arrived = candidates.filter(({ to }) => ours.has(to));
    const executions = await this.executionsIn(hash, [...new Set(arrived.map((payment) => payment.hash))]);
    const orderOf = ({ hash: name }: Candidate): number => block.order.get(name) ?? block.order.size;
    return arrived
      .filter((candidate) => isCarriedOut(candidate, executions.get(candidate.hash)!))
      .toSorted((one, other) => orderOf(one) - orderOf(other) || one.position - other.position)
      .map(({ log: _, ...payment }) => ({ ...payment, at: block.time }));
  }

  /** One endpoint is not enough for the absence of a log: its index of logs may be incomplete. */
  private async logsIn(hash: string, tokens: readonly string[]): Promise<PlacedLog[]> {
    const found = await inPortions(portionsOf(tokens, TOKENS_AT_ONCE), 1, async (addresses) => {
      const { of } = await this.nodes.search(
        (node) => node.logsIn(hash, addresses, TRANSFER_LOG),
        (logs) => logs.length > 0,
      );
      return of.reduce((most, logs) => (logs.length > most.length ? logs : most));
    });
    return found.flat();
  }

  private async executionsIn(blockHash: string, hashes: readonly string[]): Promise<ReadonlyMap<string, Execution>> {
    const read = async (hash: string) => [hash, await this.executionIn(blockHash, hash)] as const;
    return new Map(await inPortions(hashes, RECEIPTS_AT_ONCE, read));
  }

  private async executionIn(blockHash: string, hash: string): Promise<Execution> {
    const { of, configured } = await this.nodes.search(
      (node) => node.executionIn(blockHash, hash),
      () => false,
    );
    const shown = of.filter((each) => each !== null);
    const execution = shown.find((each) =>
      attested({ of: shown, configured }, (other) => isDeepStrictEqual(other, each)),
    );
    if (!execution) throw new NodeFault('Too few endpoints show a transaction that pays a wallet, or they differ.');
    return execution;
  }
}

function candidatesIn(log: PlacedLog, tokens: readonly string[], block: number): Candidate[] {
  const token = tokens.find((each) => each.toLowerCase() === log.address);
  if (token === undefined) return [];
  return movesIn({ logs: [log] }, token).map((move) => ({
    ...move,
    hash: log.transactionHash,
    position: log.index,
    token,
    block,
    log,
  }));
}

function isCarriedOut({ log, from, to, amount }: Candidate, { transaction, succeeded, logs }: Execution): boolean {
  if (!succeeded) return false;
  const isShown = log
    ? logs.some((other) => isDeepStrictEqual(other, log))
    : transaction.value === amount && addressOf(transaction.from) === from && addressOf(transaction.to) === to;
  if (!isShown) throw new NodeAnswerUnreadable('the transaction of a payment');
  return true;
}

function addressOf(text: string): string {
  return ethereumAddressOf(text)!;
}

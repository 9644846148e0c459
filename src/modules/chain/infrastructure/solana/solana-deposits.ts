import { isDeepStrictEqual } from 'node:util';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import {
  type DepositSearch,
  type FinalBlock,
  type FoundDeposits,
  type IncomingPayment,
  nothingFound,
} from '../../../../kernel/chain/deposit.js';
import { attested, type Endpoints } from '../endpoints.js';
import { settledBefore } from '../in-portions.js';
import type { PaidBlock, PaidTransaction } from './solana-answers.js';
import type { SolanaNode } from './solana-node.js';
import { HistoryMissing, NodesDisagree, ProofFault } from './solana-rpc.js';

// Balances show payments by inner instructions too. A wrong one would be credited, so of several endpoints two must show the same.

/** A block of the main network has some megabytes. */
const BLOCKS_AT_ONCE = 2;

export async function newestBlock(nodes: Endpoints<SolanaNode>): Promise<FinalBlock> {
  const { of } = await nodes.search(newestOf, () => false);
  const [first, second = first] = of.toSorted((one, other) => other.number - one.number);
  if (!(await isAttested(nodes, second!))) throw new NodesDisagree();
  return second!;
}

async function newestOf(node: SolanaNode): Promise<FinalBlock> {
  const slot = Number((await node.finalized()).slot);
  const hash = await node.blockhashAt(slot);
  await node.assertNotMoved();
  return { number: slot, hash };
}

export async function searchDeposits(nodes: Endpoints<SolanaNode>, search: DepositSearch): Promise<FoundDeposits> {
  const { of } = await nodes.search(
    (node) =>
      blocksAfter(node, search).catch((error: unknown) => {
        if (error instanceof ProofFault) return error;
        throw error;
      }),
    (walk) => !(walk instanceof ProofFault) && walk.blocks.length > 0,
  );
  const walks = of.flatMap((walk) => (walk instanceof ProofFault ? [] : [walk]));
  const longest = walks.toSorted((one, other) => other.blocks.length - one.blocks.length)[0];
  const { after } = search;
  if (!longest) {
    if (!of.some((fault) => fault instanceof NodesDisagree)) throw new HistoryMissing();
    return { ...nothingFound(after, after.number), isBroken: true };
  }
  const last = longest.blocks.at(-1);
  const upTo = last ? { number: last.slot, hash: last.blockhash } : after;
  const newest = Math.max(upTo.number, longest.newest);
  // The second endpoint may lag, or the first one have a fork of its own.
  if (!last || !(await isAttested(nodes, upTo))) return nothingFound(after, newest);
  const payments: IncomingPayment[] = [];
  for (const block of longest.blocks) payments.push(...(await attestedPaymentsIn(nodes, block, search)));
  return { upTo, newest, payments, isBroken: false, hasMore: newest > upTo.number };
}

async function isAttested(nodes: Endpoints<SolanaNode>, { number, hash }: FinalBlock): Promise<boolean> {
  const answers = await nodes.search(
    (node) => node.blockhashAt(number).catch(noneIfMissing),
    () => false,
  );
  return attested(answers, (found) => found === hash);
}

async function attestedPaymentsIn(
  nodes: Endpoints<SolanaNode>,
  block: PaidBlock,
  { tokens, among }: DepositSearch,
): Promise<IncomingPayment[]> {
  const ours = await among([...new Set(gainsIn(block, tokens).flatMap(({ gains }) => gains.map(({ to }) => to)))]);
  const payments = paymentsIn(block, tokens, ours);
  if (payments.length === 0) return [];
  const answers = await nodes.search(
    (node) => node.paidBlock(block.slot).catch(noneIfMissing),
    () => false,
  );
  const isSame = (other: PaidBlock | null): boolean =>
    other?.blockhash === block.blockhash &&
    isDeepStrictEqual(paymentsIn({ ...other, time: block.time }, tokens, ours), payments);
  if (!attested(answers, isSame)) throw new NodesDisagree();
  return payments;
}

function noneIfMissing(error: unknown): null {
  if (error instanceof HistoryMissing) return null;
  throw error;
}

interface Walk {
  readonly newest: number;
  readonly blocks: readonly PaidBlock[];
}

/** Ends at the first gap. Throws `HistoryMissing` without the first block, `NodesDisagree` when that does not follow `after`. */
async function blocksAfter(node: SolanaNode, { after, blocks: limit }: DepositSearch): Promise<Walk> {
  const newest = Number((await node.finalized()).slot);
  const slots = newest > after.number ? await node.slotsFrom(after.number + 1, limit) : [];
  const read = await settledBefore(slots, BLOCKS_AT_ONCE, (slot) => node.paidBlock(slot));
  const blocks: PaidBlock[] = [];
  for (const block of read) {
    const { slot, blockhash } = blocks.at(-1) ?? { slot: after.number, blockhash: after.hash };
    const isLinked = block.parentSlot === slot && block.previousBlockhash === blockhash;
    // A node leaves out blocks that it does not have. Its next block then has a parent above the last one.
    const fault = isLinked ? null : block.parentSlot > slot ? new HistoryMissing() : new NodesDisagree();
    if (fault && blocks.length === 0) throw fault;
    if (fault) break;
    blocks.push(block);
  }
  await node.assertNotMoved();
  return { newest, blocks };
}

function paymentsIn(block: PaidBlock, tokens: readonly string[], ours: ReadonlySet<string>): IncomingPayment[] {
  return gainsIn(block, tokens).flatMap(({ transaction, gains }) =>
    gains
      .filter(({ to }) => ours.has(to))
      .map((gain) => ({ ...gain, amount: gain.amount - fromOwnAccounts(transaction, gain) }))
      .filter(({ amount }) => amount > 0n)
      .map((gain) => ({ ...gain, hash: transaction.signature, block: block.slot, at: block.time })),
  );
}

function gainsIn({ transactions }: PaidBlock, tokens: readonly string[]) {
  return transactions
    .filter(({ failed }) => !failed)
    .map((transaction) => ({ transaction, gains: [...coinGains(transaction), ...tokenGains(transaction, tokens)] }));
}

type Gain = Pick<IncomingPayment, 'position' | 'token' | 'from' | 'to' | 'amount'>;

/** The fee is no part of a payment. */
function changesOf({ accounts, fee }: PaidTransaction): readonly bigint[] {
  return accounts.map(({ before, after }, index) => after - before + (index === 0 ? fee : 0n));
}

function coinGains(transaction: PaidTransaction): Gain[] {
  const changes = changesOf(transaction);
  const accounts = transaction.accounts.map(({ address }) => address);
  const from = onlyOne(accounts.filter((_, index) => changes[index]! < 0n));
  return accounts.flatMap((to, position) => {
    const amount = changes[position]!;
    return amount > 0n ? [{ position, token: null, from, to, amount }] : [];
  });
}

/** An owner may have several accounts: a move between them is no payment. Token-2022 does not count: it could not be paid on. */
function tokenGains({ holdings: all }: PaidTransaction, tokens: readonly string[]): Gain[] {
  const holdings = all.filter(({ program }) => program === TOKEN_PROGRAM_ADDRESS);
  const mints = new Set(holdings.map(({ mint }) => mint));
  return tokens.flatMap((token) => {
    if (!mints.has(token)) return [];
    const changes = new Map<string, { position: number; amount: bigint }>();
    for (const { mint, owner, account, before, after } of holdings) {
      if (mint !== token) continue;
      const { position, amount } = changes.get(owner) ?? { position: account, amount: 0n };
      changes.set(owner, { position: Math.min(position, account), amount: amount + after - before });
    }
    const from = onlyOne([...changes].filter(([, { amount }]) => amount < 0n).map(([owner]) => owner));
    return [...changes].flatMap(([to, { position, amount }]) =>
      amount > 0n ? [{ position, token, from, to, amount }] : [],
    );
  });
}

/** Coins from the receiver's own token accounts, such as rent or wrapped coins, were the receiver's before. */
function fromOwnAccounts(transaction: PaidTransaction, { token, to }: Gain): bigint {
  if (token !== null) return 0n;
  const own = new Set(transaction.holdings.filter(({ owner }) => owner === to).map(({ account }) => account));
  return changesOf(transaction).reduce(
    (sum, change, index) => (own.has(index) && change < 0n ? sum - change : sum),
    0n,
  );
}

function onlyOne(senders: readonly string[]): string {
  return senders.length === 1 ? senders[0]! : '';
}

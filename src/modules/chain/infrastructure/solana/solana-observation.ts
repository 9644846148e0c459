import type { SignedAttempt, PaymentStatus, ProofProgress } from '../../../../kernel/chain/payment.js';
import { agreed, type Answers, type Endpoints } from '../endpoints.js';
import { describeFault, NodeFault } from '../node-faults.js';
import { ProofFault } from './solana-rpc.js';
import type { SignatureStatus } from './solana-answers.js';
import { movesToken } from './solana-message.js';
import type { SolanaNode } from './solana-node.js';
import { type AskEvery, proveExpiry, proveFinal } from './solana-proofs.js';

/** A status that ends the payment is proven. */
export async function observe(
  nodes: Endpoints<SolanaNode>,
  attempts: readonly SignedAttempt[],
  progress: ProofProgress | null,
): Promise<PaymentStatus> {
  const [first] = attempts;
  if (!first) return { is: 'unknown', reason: 'There is no attempt.' };
  const { network } = first;
  if (attempts.some((attempt) => attempt.network !== network)) {
    return { is: 'unknown', reason: 'The attempts were signed for several clusters.' };
  }
  const onNetwork =
    <T>(ask: (node: SolanaNode) => Promise<T>) =>
    async (node: SolanaNode): Promise<T> => {
      if ((await node.network()) !== network) throw new NodeFault(`The node is not on ${network}.`);
      return ask(node);
    };
  const askEvery: AskEvery = (ask) => nodes.every(onNetwork(ask));
  // The order is part of the proof: the statuses are read after the final block is known.
  const read = onNetwork(async (node) => {
    const final = await node.finalized();
    const statuses = await node.statuses(attempts.map(({ hash }) => hash));
    return { final, statuses };
  });
  const hint = await nodes.search(read, ({ statuses }) => statuses.of.some(isAlive) || !statuses.of.includes(null));
  // A search leaves out slow endpoints, and only one of these may have a status.
  const mayHaveExpired = hint.configured > 1 && isPast(hint, attempts);
  const seen = mayHaveExpired ? await nodes.every(read) : hint;
  const known = attempts.flatMap((attempt, index) => {
    const status = statusIn(seen, index);
    return status ? [{ attempt, status }] : [];
  });
  const settled = ({ attempt, status }: (typeof known)[number]) =>
    nodes.read(onNetwork((node) => statusOf(node, attempt, status))).catch(unprovenBy);
  const alive = known.filter(({ status }) => isAlive(status));
  const [paid = alive.at(-1)] = alive.filter(({ status }) => status.level === 'finalized');
  if (paid) return settled(paid);
  const unseen = attempts.filter((attempt) => !known.some((other) => other.attempt === attempt));
  if (unseen.length === 0) return lastOf(await Promise.all(known.map(settled)));
  if (!isPast(seen, attempts)) {
    return { is: 'not_seen', ...(!agreed(seen, () => true) && { stuckReason: 'nodes_disagree' }) };
  }
  const { isProven, fault, ...change } = await proveExpiry(askEvery, unseen, progress);
  if (isProven) return known.length > 0 ? lastOf(await Promise.all(known.map(settled))) : { is: 'dead', ...change };
  return fault ? { ...unprovenBy(fault), ...change } : { is: 'not_seen', ...change };
}

/** Whether no endpoint has a status, and the final block of the slot does not list the signature, or the slot has none. */
export async function isLost(nodes: Endpoints<SolanaNode>, hash: string, slot: number): Promise<boolean> {
  const { of } = await nodes.every(async (node) => {
    if ((await node.statuses([hash])).of[0] !== null) return false;
    const [next] = await node.slotsFrom(slot, 1);
    if (next === undefined) return null;
    const { parentSlot, signatures } = await node.block(next);
    if (next === slot) return !signatures.includes(hash);
    // Otherwise the node lacks blocks, such as that of the slot.
    return parentSlot < slot ? true : null;
  });
  return of.includes(true) && !of.includes(false);
}

interface Seen {
  readonly final: { readonly slot: bigint; readonly blockHeight: bigint };
  readonly statuses: { readonly slot: bigint; readonly of: readonly SignatureStatus[] };
}

/** Whether the endpoints agree that the last valid heights of all attempts without a status have passed. */
function isPast(seen: Answers<Seen>, attempts: readonly SignedAttempt[]): boolean {
  const unseen = attempts.filter((_, index) => statusIn(seen, index) === null);
  return agreed(seen, ({ final, statuses }) => {
    if (statuses.slot < final.slot) throw new NodeFault('The statuses are older than the final block.');
    return unseen.every(({ lastValidBlockHeight: last }) => last !== null && final.blockHeight > last);
  });
}

function statusIn({ of }: Answers<Seen>, index: number): SignatureStatus {
  return furthest(of.map(({ statuses }) => statuses.of[index] ?? null));
}

/** All attempts failed: the last one counts, once each is proven. */
function lastOf(statuses: readonly PaymentStatus[]): PaymentStatus {
  return statuses.find(({ is }) => is !== 'final') ?? statuses.at(-1)!;
}

/** Whether this transaction made the payment, or may still make it. */
function isAlive(status: SignatureStatus): boolean {
  return status !== null && !(status.level === 'finalized' && status.failed);
}

function furthest(statuses: readonly SignatureStatus[]): SignatureStatus {
  const levels = ['processed', 'confirmed', 'finalized'];
  return statuses.reduce((best, status) => {
    if (!best || !status) return best ?? status;
    return levels.indexOf(status.level) > levels.indexOf(best.level) ? status : best;
  }, null);
}

/** Throws errors other than `ProofFault`. */
function unprovenBy(fault: unknown): Extract<PaymentStatus, { is: 'unknown' }> {
  if (!(fault instanceof ProofFault)) throw fault;
  return { is: 'unknown', reason: describeFault(fault), stuckReason: fault.stuckReason };
}

async function statusOf(
  node: SolanaNode,
  { hash, raw }: SignedAttempt,
  status: NonNullable<SignatureStatus>,
): Promise<PaymentStatus> {
  const { slot, level, failed } = status;
  const block = { number: Number(slot), hash: null };
  if (level === 'processed') return { is: 'submitted', hash };
  if (level === 'confirmed') return { is: 'mined', hash, block, outcome: failed ? 'reverted' : 'success' };
  const final = await proveFinal(node, hash, status);
  await node.assertNotMoved();
  // The rent of accounts that it created is paid by the source too, and is part of the fees.
  const { before, after } = final.transaction.payer;
  const fee = !failed && movesToken(raw) ? before - after : final.transaction.fee;
  return {
    is: 'final',
    hash,
    block: { ...block, hash: final.block.blockhash, time: final.block.time },
    outcome: failed ? 'reverted' : 'success',
    fee,
  };
}

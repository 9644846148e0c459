import { AppFrozen, WalletFrozen } from '../../../policy/index.js';
import type { Chain } from '../../../../kernel/chain/chain.js';
import type { StuckReason } from '../../../../kernel/chain/payment.js';
import { SealAltered } from '../../../../kernel/vault.js';
import type { TimedTransfer } from '../domain/transfer.repository.js';
import type { Attempt, Transfer } from '../domain/transfer.js';
import {
  ChainUnavailable,
  HistoryTooLong,
  InsufficientFunds,
  NetworkChanged,
} from '../../../../kernel/chain/chain.errors.js';

export interface PendingPayment extends TimedTransfer {
  readonly attempts: readonly Attempt[];
  readonly chain: Chain;
}

export interface Step {
  readonly transfer: Transfer;
  readonly stuckReason?: StuckReason;
}

export function frozenReason(error: unknown): StuckReason | null {
  if (error instanceof AppFrozen) return 'app_frozen';
  if (error instanceof SealAltered) return 'row_altered';
  return error instanceof WalletFrozen ? 'wallet_frozen' : null;
}

/** Null when the node or the balance does not allow the work now: the next observation tries it again. */
export async function unlessPostponed<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof HistoryTooLong) throw error;
    if (error instanceof ChainUnavailable || error instanceof InsufficientFunds) return null;
    throw error;
  }
}

/**
 * Sends the newest bytes, and if no node accepts them the earlier ones: the chain includes only one of them. Payments are not sent again
 * behind a cancellation, though one may still be mined first.
 */
export async function rebroadcast(chain: Chain, attempts: readonly Attempt[]): Promise<void> {
  const kind = attempts.at(-1)?.kind;
  for (const attempt of attempts.toReversed()) {
    if (attempt.kind === kind && (await chain.send(attempt)).accepted) return;
  }
}

/** A nonce of one network is none of another. Throws `NetworkChanged`. */
export async function assertOnNetwork(transfer: Pick<Transfer, 'network'>, chain: Chain): Promise<void> {
  const network = await chain.network();
  if (network !== transfer.network) throw new NetworkChanged(transfer.network, network);
}

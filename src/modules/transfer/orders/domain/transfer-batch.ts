import { namedItem } from '../../../../kernel/items.js';
import type { Transfer } from '../../transfer/domain/transfer.js';
import { BooksBehindChain } from '../../../../kernel/chain/chain.errors.js';
import { TransferAlreadyConfirmed } from '../../transfer/domain/transfer.errors.js';

export const BATCH_SIZE = 100;

/** Only the first confirmation starts the payments. A refusal names the item. */
export async function awaitsConfirmation(batch: readonly Transfer[], now: Date): Promise<boolean> {
  const open = batch.find(({ status }) => status === 'unconfirmed');
  if (batch.some(({ confirmedAt }) => confirmedAt !== null)) {
    // All were confirmed in one transaction, so the database has forgotten it, and has learnt from the chain of some of the payments.
    if (open) throw new BooksBehindChain(open.id);
    return false;
  }
  for (const [index, transfer] of batch.entries())
    await namedItem(index, async () => {
      if (!transfer.awaitsConfirmation(now)) throw new TransferAlreadyConfirmed(transfer.id);
    });
  return true;
}

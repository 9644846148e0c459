import { ChainUnavailable, InsufficientFunds } from '../../../kernel/chain/chain.errors.js';

/** Null when the node or the balance does not allow the work now: the next observation tries it again. */
export async function unlessPostponed<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ChainUnavailable || error instanceof InsufficientFunds) return null;
    throw error;
  }
}

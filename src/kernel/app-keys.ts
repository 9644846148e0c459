import type { AppId } from './ids.js';

/** Values of no app are sealed by the key of the service. */
export type KeyOwner = AppId | 'service';

/** A key provider opens the keys by a call; they are then kept for some minutes. */
export abstract class AppKeys {
  /** Await it before a transaction and before anything is counted or spent. Inside a transaction it throws `KeyNotReady`. */
  abstract ready(owner: KeyOwner): Promise<void>;
}

/** `Transactions` rolls back, waits for the key and runs the work again, so no transaction is open during the call to the provider. */
export class KeyNotReady extends Error {
  override readonly name = 'KeyNotReady';

  constructor(
    readonly owner: KeyOwner,
    /** Call it outside a transaction. */
    readonly makeReady: () => Promise<void>,
  ) {
    super(`The key of ${owner} is not in memory.`);
  }
}

/** `work` must be no transaction, so that nothing of its first run remains. */
export async function withReadyKey<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof KeyNotReady)) throw error;
    await error.makeReady();
    return work();
  }
}

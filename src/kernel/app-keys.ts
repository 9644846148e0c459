import type { AppId } from './ids.js';

/** The app whose key seals a value. Values of no app are sealed by the key of the service. */
export type KeyOwner = AppId | 'service';

/** The keys under which values are sealed. With a key provider they are opened by a call to it, and kept for some minutes. */
export abstract class AppKeys {
  /**
   * Resolves when values of the owner can be sealed and opened, which then takes no call to a provider. Await it before a transaction and
   * before anything is counted or spent. Inside a transaction it throws `KeyNotReady` if the key is not in memory. Throws
   * `KeysUnavailable`. Resolves at once without a key provider.
   */
  abstract ready(owner: KeyOwner): Promise<void>;
}

/**
 * A key is needed that is not in memory. `Transactions` rolls back, waits for the key, and runs the work again, so no transaction is open
 * during the call to the provider. Outside a transaction it is a fault of the caller, which did not await `AppKeys.ready`.
 */
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

/** Runs work, and once again after `KeyNotReady`. For work that is no transaction, so that nothing of the first run remains. */
export async function withReadyKey<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof KeyNotReady)) throw error;
    await error.makeReady();
    return work();
  }
}

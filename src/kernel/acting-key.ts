import { AsyncLocalStorage } from 'node:async_hooks';

interface Acting {
  keyId: string | undefined;
  beforeCommit: (() => void) | undefined;
}

const storage = new AsyncLocalStorage<Acting>();

/** Events published in the call name the key as their actor. `beforeCommit` runs in each of its transactions when the work is done. */
export function actAs<T>(keyId: string, call: () => Promise<T>, beforeCommit?: () => void): Promise<T> {
  const acting: Acting = { keyId, beforeCommit };
  // A timer that the call started inherits the store and may outlive the call.
  return storage
    .run(acting, call)
    .finally(() => Object.assign(acting, { keyId: undefined, beforeCommit: undefined } satisfies Acting));
}

export function beforeActingCommit(): void {
  storage.getStore()?.beforeCommit?.();
}

export function actingKey(): string | undefined {
  return storage.getStore()?.keyId;
}

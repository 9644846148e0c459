import { AsyncLocalStorage } from 'node:async_hooks';

const storage = new AsyncLocalStorage<{ keyId: string | undefined }>();

/** Runs the call of a restricted key. Events that are published in it name the key as their actor. */
export function actAs<T>(keyId: string, call: () => Promise<T>): Promise<T> {
  const acting: { keyId: string | undefined } = { keyId };
  // A timer that the call started inherits the store and may outlive the call.
  return storage.run(acting, call).finally(() => (acting.keyId = undefined));
}

/** The id of the restricted key whose call this is; undefined in every other call and in background work. */
export function actingKey(): string | undefined {
  return storage.getStore()?.keyId;
}

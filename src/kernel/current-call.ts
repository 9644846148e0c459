import { AsyncLocalStorage } from 'node:async_hooks';

/** A request that is worked on. Its app is known once its key was checked. */
export interface CurrentCall {
  readonly appId?: string;
  /** The response was sent. Work that the request has begun and that goes on is background work from then on. */
  readonly isOver?: boolean;
  /** The client does not wait for the response any more. */
  readonly isGone?: boolean;
}

const storage = new AsyncLocalStorage<CurrentCall>();

export function runCall(call: CurrentCall, work: () => void): void {
  storage.run(call, work);
}

/** Undefined in background work. */
export function currentCall(): CurrentCall | undefined {
  const call = storage.getStore();
  return call?.isOver === true ? undefined : call;
}

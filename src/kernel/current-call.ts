import { AsyncLocalStorage } from 'node:async_hooks';

export interface CurrentCall {
  readonly appId?: string;
  /** Work of the request that goes on after the response is background work. */
  readonly isOver?: boolean;
  readonly isGone?: boolean;
}

const storage = new AsyncLocalStorage<CurrentCall>();

export function runCall(call: CurrentCall, work: () => void): void {
  storage.run(call, work);
}

export function currentCall(): CurrentCall | undefined {
  const call = storage.getStore();
  return call?.isOver === true ? undefined : call;
}

import { AsyncLocalStorage } from 'node:async_hooks';

export interface CurrentCall {
  readonly requestId?: string;
  readonly appId?: string;
  /** Work of the request that goes on after the response is background work. */
  readonly isOver?: boolean;
  readonly isGone?: boolean;
}

const storage = new AsyncLocalStorage<CurrentCall>();

export function runCall<T>(call: CurrentCall, work: () => T): T {
  return storage.run(call, work);
}

/** Background work that the request, if any, has caused. */
export function runCausedBy<T>(requestId: string | undefined, work: () => T): T {
  return runCall({ isOver: true, ...(requestId !== undefined && { requestId }) }, work);
}

/** The request that causes this work, also after its response and in its jobs. Events, jobs and messages keep it. */
export function causingRequest(): string | undefined {
  return storage.getStore()?.requestId;
}

export function currentCall(): CurrentCall | undefined {
  const call = storage.getStore();
  return call?.isOver === true ? undefined : call;
}

import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';

/** Changes by any tab of this browser. Every view on the screen loads again after one. */
const changes = signal(0);

export function changed(): void {
  changes.value++;
  // eslint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches its own origin only
  tabs.postMessage(null);
}

const tabs = new BroadcastChannel('console-changes');
tabs.addEventListener('message', () => changes.value++);

export interface Loaded<T> {
  /** The last data stays while newer data is loading. */
  readonly data?: T;
  readonly error?: unknown;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

export const REFRESH_MS = 5_000;

/** Calls `load` after changes too. While the result is pending and the page is visible, it loads every 5 s. */
export function useLoad<T>(
  load: () => Promise<T>,
  inputs: readonly unknown[],
  isPending: (data: T) => boolean = () => false,
): Loaded<T> {
  const [state, setState] = useState<Omit<Loaded<T>, 'reload'>>({ isLoading: true });
  const [round, setRound] = useState(0);
  const version = changes.value;
  useEffect(() => {
    let isCurrent = true;
    setState(({ data }) => ({ data, isLoading: true }));
    load().then(
      (data) => isCurrent && setState({ data, isLoading: false }),
      (error: unknown) => isCurrent && setState(({ data }) => ({ data, error, isLoading: false })),
    );
    return () => {
      isCurrent = false;
    };
  }, [...inputs, version, round]);
  const reload = (): void => setRound((before) => before + 1);
  const waits = state.data !== undefined && isPending(state.data);
  useEffect(() => {
    if (!waits) return;
    const timer = setInterval(() => document.visibilityState === 'visible' && reload(), REFRESH_MS);
    return () => clearInterval(timer);
  }, [waits]);
  return { ...state, reload };
}

import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';

/** Counts the changes that the tabs of this browser made. Every view on the screen loads again after one. */
const changes = signal(0);

export function changed(): void {
  changes.value++;
  // eslint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches its own origin only
  tabs.postMessage(null);
}

const tabs = new BroadcastChannel('console-changes');
tabs.addEventListener('message', () => changes.value++);

export interface Loaded<T> {
  /** The last data that arrived; it stays while newer data is loading. */
  readonly data?: T;
  readonly error?: unknown;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/** Calls `load`, again whenever `inputs` differ or data was changed, and returns its last result. */
export function useLoad<T>(load: () => Promise<T>, inputs: readonly unknown[]): Loaded<T> {
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
  return { ...state, reload: () => setRound((before) => before + 1) };
}

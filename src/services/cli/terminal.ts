import { once } from 'node:events';

/** Results go to `out`, progress and errors to `err`. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Resolves when `out` takes more text without keeping it in memory. */
  readonly drained?: () => Promise<void>;
}

export const PROCESS_TERMINAL: Terminal = {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  drained: async () => {
    if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain');
  },
};

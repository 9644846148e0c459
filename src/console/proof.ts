import { signal } from '@preact/signals';
import { ApiError } from '../../openapi/client/src/index.js';

export const awaitingProof = signal<{ readonly go: () => void; readonly giveUp: () => void } | null>(null);

/** Repeats the call after the proof. */
export async function withProof<Made>(run: () => Promise<Made>): Promise<Made> {
  try {
    return await run();
  } catch (error) {
    if (!ApiError.is(error, 'step_up_required')) throw error;
    try {
      await new Promise<void>((go, reject) => (awaitingProof.value = { go, giveUp: () => reject(error) }));
    } finally {
      awaitingProof.value = null;
    }
    return run();
  }
}

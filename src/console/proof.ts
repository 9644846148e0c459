import { signal } from '@preact/signals';
import { ApiError } from '../../openapi/client/src/index.js';

/** The call that waits until the operator has proved again who they are; null if none does. */
export const awaitingProof = signal<{ readonly go: () => void; readonly giveUp: () => void } | null>(null);

/** Runs a call. If the service asks for a fresh proof, the operator is asked for it, and the call is repeated. */
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

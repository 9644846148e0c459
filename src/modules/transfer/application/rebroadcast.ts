import type { Chain } from '../../../kernel/chain/chain.js';
import type { Attempt } from '../domain/attempt.js';

/**
 * Sends the newest stored bytes again, and if no node accepts them the earlier ones: each makes the same payment, and the
 * chain includes only one of them. Payments are not sent again behind a cancellation, though one may still be mined first.
 */
export async function rebroadcast(chain: Chain, attempts: readonly Attempt[]): Promise<void> {
  const kind = attempts.at(-1)?.kind;
  for (const attempt of attempts.toReversed()) {
    if (attempt.kind === kind && (await chain.send(attempt)).accepted) return;
  }
}

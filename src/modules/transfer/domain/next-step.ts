import type { Transfer } from './transfer.js';

/** The next steps of a transfer, until it has ended. */
export const NEXT_STEPS = [
  'confirmation',
  'place_in_queue',
  'broadcast',
  'block',
  'finality',
  'cancellation',
  'none',
] as const;
export type NextStep = (typeof NEXT_STEPS)[number];

const OF_STAGE = { queued: 'place_in_queue', signed: 'broadcast', submitted: 'block', mined: 'finality' } as const;

export function nextStepOf({ status, stage, cancelRequestedAt }: Transfer): NextStep {
  if (status === 'unconfirmed') return 'confirmation';
  if (stage === null) return 'none';
  return cancelRequestedAt !== null && stage !== 'mined' ? 'cancellation' : OF_STAGE[stage];
}

import { Sequencer } from '../events/index.js';

/** Chains audit entries for as long as the process runs, in a loop of its own, so that the feed of events never waits for it. */
export class ChainWriter extends Sequencer {
  protected override readonly subject = 'audit entries';
  protected override readonly settings = { pauseMs: 100, pollMs: 1_000, retryMs: 5_000 };
}

import { Inject, Injectable } from '@nestjs/common';
import { Log } from '../../kernel/log.js';
import { WorkerLoop } from '../../postgres/worker-loop.js';
import { failureText } from '../../services/jobs/failure-text.js';
import { EventSequence } from './domain/event-sequence.js';

/** Sequences soon after the commits of this process, and polls for those of others. The database decides which process handles an app. */
@Injectable()
export class Sequencer {
  protected readonly settings = {
    /** Under load the pause makes a batch hold many events. */
    pauseMs: 50,
    pollMs: 150,
    retryMs: 1_000,
  };

  protected readonly subject: string = 'events';

  private loop: WorkerLoop<never> | undefined;
  private isStopping = false;
  private isAwake = true;

  constructor(
    @Inject(EventSequence) private readonly sequence: Pick<EventSequence, 'advance' | 'hasWaiting'>,
    private readonly log: Log,
  ) {}

  start(): void {
    this.loop = new WorkerLoop<never>({
      ...this.settings,
      slots: 1,
      drainMs: 0,
      claim: () => this.advance(),
      perform: () => Promise.resolve(),
      report: (error) => this.log.warn({ err: failureText(error) }, `${this.subject} cannot be sequenced`),
    });
  }

  /** Events that wait get their positions from another process, or after the next start. */
  async stop(): Promise<void> {
    this.isStopping = true;
    await this.loop?.stop();
  }

  wake(): void {
    this.isAwake = true;
    this.loop?.wake();
  }

  private async advance(): Promise<never[]> {
    const isAwake = this.isAwake;
    this.isAwake = false;
    try {
      let hasMore = isAwake || (await this.sequence.hasWaiting());
      for (let after = ''; hasMore && !this.isStopping;) ({ after, hasMore } = await this.sequence.advance(after));
      return [];
    } catch (error) {
      // A commit that woke this loop must not wait for the next one.
      this.isAwake = true;
      throw error;
    }
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { Log } from '../../kernel/log.js';
import { WorkerLoop } from '../../postgres/worker-loop.js';
import { failureText } from '../../services/jobs/failure-text.js';
import { EventSequence } from './domain/event-sequence.js';

/**
 * Gives positions to committed events for as long as the process runs. A process sequences soon after its own commits, and polls
 * for those of other processes. Any number of processes may do it: the database decides which of them handles an app.
 */
@Injectable()
export class Sequencer {
  protected readonly settings = {
    /** The pause between two batches, unless more events wait: under load a batch then holds many events. */
    pauseMs: 50,
    /** The pause between two reads of the table without a commit of this process. */
    pollMs: 150,
    /** The pause after a failure, such as an unavailable database. */
    retryMs: 1_000,
  };

  /** The sequenced rows, as log messages name them. */
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

  /** Ends after the current batch. Events that wait then get their positions from another process, or after the next start. */
  async stop(): Promise<void> {
    this.isStopping = true;
    await this.loop?.stop();
  }

  /** Called when events were committed. */
  wake(): void {
    this.isAwake = true;
    this.loop?.wake();
  }

  /** Gives positions until no event waits. There are no tasks to carry out afterwards. */
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

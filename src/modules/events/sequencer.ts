import { Inject, Injectable } from '@nestjs/common';
import { setTimeout as pause } from 'node:timers/promises';
import { Log } from '../../kernel/log.js';
import { failureText } from '../../services/jobs/failure-text.js';
import { type Batch, EventSequence } from './domain/event-sequence.js';

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

  private loop: Promise<void> | undefined;
  private isStopping = false;
  private isUnavailable = false;
  private isAwake = true;
  private endSleep: (() => void) | undefined;

  constructor(
    @Inject(EventSequence) private readonly sequence: Pick<EventSequence, 'advance' | 'hasWaiting'>,
    private readonly log: Log,
  ) {}

  start(): void {
    this.loop = this.run();
  }

  /** Ends after the current batch. Events that wait then get their positions from another process, or after the next start. */
  async stop(): Promise<void> {
    this.isStopping = true;
    this.wake();
    await this.loop;
  }

  /** Called when events were committed. */
  wake(): void {
    this.isAwake = true;
    this.endSleep?.();
  }

  private async run(): Promise<void> {
    for (let after = ''; !this.isStopping;) {
      const batch = await this.attempt(after);
      after = batch?.after ?? '';
      if (batch?.hasMore) continue;
      await pause(batch ? this.settings.pauseMs : this.settings.retryMs);
      await this.sleep();
    }
  }

  /** Undefined after a failure. */
  private async attempt(after: string): Promise<Batch | undefined> {
    const isAwake = this.isAwake || after !== '';
    this.isAwake = false;
    try {
      const batch = isAwake || (await this.sequence.hasWaiting()) ? await this.sequence.advance(after) : IDLE;
      this.isUnavailable = false;
      return batch;
    } catch (error) {
      // A commit that woke this loop must not wait for the next one.
      this.isAwake = true;
      if (!this.isUnavailable) this.log.warn({ err: failureText(error) }, `${this.subject} cannot be sequenced`);
      this.isUnavailable = true;
      return undefined;
    }
  }

  private async sleep(): Promise<void> {
    if (this.isAwake || this.isStopping) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.settings.pollMs - this.settings.pauseMs);
      this.endSleep = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

const IDLE: Batch = { sequenced: 0, hasMore: false, after: '' };

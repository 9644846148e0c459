import { Injectable } from '@nestjs/common';
import { Log } from '../../kernel/log.js';
import { SetBacks } from '../../kernel/set-backs.js';
import { WorkerLoop } from '../../postgres/worker-loop.js';
import { failureText } from '../../services/jobs/failure-text.js';
import { FeedPositions } from './infrastructure/feed-positions.js';

const POLL_MS = 1_000;

/** A snapshot of the server with its memory may bring the database back: a feed then shows an earlier position than was seen here. */
@Injectable()
export class SetBackWatch {
  private loop: WorkerLoop<never> | undefined;

  constructor(
    private readonly positions: FeedPositions,
    private readonly setBacks: SetBacks,
    private readonly log: Log,
  ) {}

  start(): void {
    this.loop = new WorkerLoop<never>({
      slots: 1,
      pollMs: POLL_MS,
      drainMs: 0,
      claim: async () => {
        await this.look();
        return [];
      },
      perform: () => Promise.resolve(),
      report: (error) => this.log.warn({ err: failureText(error) }, 'the positions of feeds cannot be compared'),
    });
  }

  /** A process that only serves calls knows the feeds of its own events. */
  follow(appId: string): void {
    this.positions.follow(appId);
  }

  async stop(): Promise<void> {
    await this.loop?.stop();
  }

  async look(): Promise<void> {
    if (!(await this.positions.haveGoneBack())) return;
    this.log.warn({}, 'the database was brought back to an earlier state');
    await this.setBacks.report();
    this.positions.forget();
  }
}

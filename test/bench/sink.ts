import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export const EVENT_IDS = 'create sequence bench_ids';
/** Stores `$2` events of the app `$1`. */
export const STORE_EVENTS = `
  insert into unsequenced_events (app_id, id, type, data)
  select $1, 'evt_' || lpad(nextval('bench_ids')::text, 26, '0'), 'session.created',
         json_build_object('session_id', 'sess_01m81rj1zkba3wgxhm00000001', 'user_id', 'user_01m81rj1zkba3wgxhm00000001')
    from generate_series(1, $2)`;

export interface Report {
  readonly ages: readonly number[];
  readonly repeated: number;
  readonly seen: number;
}

/** Receives webhooks in a process of its own. */
export class Sink {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {}

  static async start(): Promise<Sink> {
    const child = fork(join(import.meta.dirname, 'webhook-sink.mjs'));
    const [port] = (await once(child, 'message')) as [number];
    return new Sink(child, `http://127.0.0.1:${port}`);
  }

  setDown(down: boolean): void {
    this.child.send({ down });
  }

  /** What has arrived since the last report. */
  async report(): Promise<Report> {
    const answered = once(this.child, 'message');
    this.child.send({ report: true });
    return ((await answered) as [Report])[0];
  }

  stop(): void {
    this.child.kill();
  }
}

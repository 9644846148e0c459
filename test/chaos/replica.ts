import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureBuilt } from '../support/built.js';

/** The place that a process has reached at which it kills or stops itself, or cuts a connection. */
export interface Hit {
  readonly msg: 'killed' | 'stopped' | 'cut';
  readonly place: string;
  readonly variant: string;
  /** The deliveries that it had claimed and not recorded. */
  readonly inFlight: number;
}

/** The whole service in a process of its own, from the built `dist`, which can be killed. */
export class Replica {
  private child: ChildProcess | undefined;
  private hit: Promise<Hit> | undefined;
  private onHit: ((hit: Hit) => void) | undefined;
  private gone: Promise<void> | undefined;
  /** Undefined while it is not ready. */
  url: string | undefined;
  isPaused = false;

  /**
   * `kills` is the path of a module that is loaded first, which kills the process where `arm` says. `release` is the folder of another
   * release with its own `dist`.
   */
  constructor(
    private readonly env: Readonly<Record<string, string>>,
    private readonly kills?: string,
    private readonly release?: string,
    /** Receives the lines of its log, without requests. */
    private readonly log?: (line: string) => void,
  ) {
    // An aborted run must not leave it running.
    process.once('exit', () => this.child?.kill('SIGKILL'));
  }

  /** Resolves when it accepts requests. */
  async start(): Promise<string> {
    if (!this.release) await ensureBuilt();
    const child = spawn(process.execPath, [...(this.kills ? ['--import', this.kills] : []), 'dist/src/main.js'], {
      env: { PATH: process.env['PATH'], PORT: '0', LOG_LEVEL: 'info', DRAIN_SECONDS: '0', ...this.env },
      cwd: this.release,
      stdio: ['ignore', 'pipe', 'inherit', ...(this.kills ? (['ipc'] as const) : [])],
    });
    this.child = child;
    this.hit = new Promise((resolve) => (this.onHit = resolve));
    // Not `exit`: what the process has written must be read first.
    this.gone = once(child, 'close').then(() => {
      if (this.child === child) this.url = undefined;
    });
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`A replica ended with ${code} before it was ready.`);
    });
    const url = await Promise.race([this.ready(child), ended]);
    ended.catch(() => undefined);
    return (this.url = url);
  }

  /** Resolves when the process was at the place. It is dead then, unless the place only cuts a connection or stops the process. */
  async arm(place: string, variant: string): Promise<Hit> {
    this.child!.send({ place, variant });
    const hit = await Promise.race([this.hit!, this.gone]);
    if (!hit) throw new Error(`A replica ended before it was ${place}.`);
    this.hit = new Promise((resolve) => (this.onHit = resolve));
    if (hit.msg === 'killed') await this.gone;
    return hit;
  }

  /** SIGKILL: the process finishes nothing. */
  async kill(): Promise<void> {
    const { child } = this;
    this.url = undefined;
    this.child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  /** SIGTERM: the process drains. Its exit code, null if a signal ended it. */
  async terminate(): Promise<number | null> {
    const exit = once(this.child!, 'exit') as Promise<[number | null]>;
    this.child!.kill('SIGTERM');
    const [code] = await exit;
    this.child = undefined;
    return code;
  }

  /** SIGSTOP, like a frozen machine: connections stay open without responses. Resolves when the process has stopped. */
  async pause(): Promise<void> {
    const { pid } = this.child!;
    this.isPaused = true;
    this.child!.kill('SIGSTOP');
    // The third field is the state of the process; T is stopped.
    while (!/\) T /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))) await sleep(1);
  }

  resume(): void {
    this.isPaused = false;
    this.child?.kill('SIGCONT');
  }

  private async ready(child: ChildProcess): Promise<string> {
    return new Promise((resolve) => {
      createInterface({ input: child.stdout! }).on('line', (line) => {
        if (!line.startsWith('{')) return;
        const entry = JSON.parse(line) as { msg?: string; url?: string };
        if (isHit(entry)) this.onHit?.(entry);
        else if (entry.msg === 'ready' && entry.url) resolve(entry.url);
        else if (!/"msg":"request"/.test(line)) {
          this.log?.(line);
          if (process.env['CHAOS_LOG']) console.error(line);
        }
      });
    });
  }
}

function isHit(entry: object): entry is Hit {
  return 'place' in entry;
}

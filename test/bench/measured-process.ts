import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Profile } from './layers.js';
import { freePort } from '../../src/dev/free-port.js';

export interface ProcessOptions {
  /** The binary to run it with. */
  readonly node: string;
  readonly env: Readonly<Record<string, string>>;
  readonly execArgv?: readonly string[];
}

/** A program in its own process that reports its processor time. Its output goes to /dev/null, except errors. */
export class MeasuredProcess {
  /** The message that it sent before it listened. */
  announced: unknown;

  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {
    child.once('message', (message) => (this.announced = message));
  }

  /** Starts a server on a free port and resolves when it accepts connections. */
  static async server(file: string, options: ProcessOptions): Promise<MeasuredProcess> {
    const port = await freePort();
    const server = new MeasuredProcess(
      start(file, { ...options, env: { ...options.env, PORT: String(port) } }),
      `http://127.0.0.1:${port}`,
    );
    while (!(await accepts(port))) {
      if (server.child.exitCode !== null) throw new Error(`${file} ended with ${server.child.exitCode}.`);
      await sleep(50);
    }
    return server;
  }

  /** Processor time so far, in microseconds, of all threads. */
  cpu(): Promise<number> {
    return this.ask('cpu');
  }

  /** Where the processor time goes during `work`. */
  async profile(work: () => Promise<unknown>): Promise<Profile> {
    await this.ask('startProfile');
    await work();
    return this.ask('stopProfile');
  }

  /** Whether a service that was started with `OTEL_*` makes spans from now on. */
  trace(isOn: boolean): Promise<void> {
    return this.ask(isOn ? 'spansOn' : 'spansOff');
  }

  /** Suspends the process until `resume`. */
  suspend(): void {
    this.child.kill('SIGSTOP');
  }

  resume(): void {
    this.child.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exit = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await exit;
  }

  private async ask<T>(question: string): Promise<T> {
    const answered = message<{ answer: T }>(this.child);
    this.child.send({ ask: question });
    return (await answered).answer;
  }
}

/** Runs a script that sends one message, its result. */
export async function resultOf<T>(file: string, options: ProcessOptions): Promise<T> {
  const child = start(file, options);
  const result = await message<T>(child);
  if (child.exitCode === null) {
    const exit = once(child, 'exit');
    if (child.connected) child.disconnect();
    await exit;
  }
  return result;
}

function start(file: string, { node, env, execArgv = [] }: ProcessOptions): ChildProcess {
  return fork(file, {
    execPath: node,
    execArgv: ['--import', join(import.meta.dirname, 'probe.mjs'), ...execArgv],
    env: { PATH: process.env.PATH, DRAIN_SECONDS: '0', ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}

function message<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null) => reject(new Error(`A process of the benchmark ended with ${code}.`));
    child.once('exit', onExit).once('message', (sent) => {
      child.off('exit', onExit);
      resolve(sent as T);
    });
  });
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

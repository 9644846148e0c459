import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, existsSync, openSync } from 'node:fs';
import { ENVIRONMENT, run, type ServerUser } from './server-user.js';

/**
 * Waits on descriptor 3 until no process holds a write end of `$pipe`, then stops the server `$pid`. Reads again after it
 * has unlinked the pipe, for uses that began in between, and signals only a process that still is a server on
 * `$cluster`. (macOS has no /proc, slim Linux images have no ps.)
 */
const STOP_WHEN_UNUSED = `(
  while read -r _; do :; done
  rm -f "$pipe"
  while read -r _; do :; done
  case "$(2>/dev/null tr '\\0' ' ' <"/proc/$pid/cmdline" || ps -ww -o command= -p "$pid")" in
    *"/postgres -D $cluster "*) kill -INT "$pid" ;;
  esac) <&3`;

/** A shell that was started, or what it became, and a write end of its pipe. */
export interface Watched {
  readonly child: ChildProcess;
  readonly hold: number;
}

/**
 * A named pipe whose open write ends are the uses of a server: the kernel closes those of a killed process. A shell beside
 * the server reads it. The shells run as the server's user, in a session of their own, which Ctrl-C does not reach.
 */
export class UsagePipe {
  constructor(
    readonly path: string,
    private readonly cluster: string,
    private readonly log: string,
    private readonly user: ServerUser,
  ) {}

  /**
   * A new write end; null when the pipe is gone. Throws ENXIO when no process reads it. The reader unlinks the pipe before
   * it looks for writers a last time, so a write end that was opened keeps the server running.
   */
  open(): number | null {
    try {
      return openSync(this.path, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  /** Starts a server that stops when the pipe has no writer any more. */
  async start(command: readonly string[]): Promise<Watched> {
    if (!existsSync(this.path)) await run('/bin/sh', ['-c', 'mkfifo -m 600 "$0"', this.path], this.user);
    // The shell becomes the server, so the server is a child of this process and $$ is its process id. The watch is an
    // orphaned grandchild: a server whose own child is killed would assume a crash.
    return this.spawn(`(pid=$$; ${STOP_WHEN_UNUSED} &); exec "$@" 3<&-`, command);
  }

  /** Watches a server whose reader was killed: it would never stop. */
  async adopt(pid: number): Promise<number> {
    return (await this.spawn(`pid=${pid}; ${STOP_WHEN_UNUSED}`)).hold;
  }

  private async spawn(script: string, command: readonly string[] = []): Promise<Watched> {
    // A plain open of either end would wait for the other. The pipe has a writer at every moment.
    const both = openSync(this.path, constants.O_RDWR | constants.O_NONBLOCK);
    const reader = openSync(this.path, constants.O_RDONLY);
    const hold = openSync(this.path, constants.O_WRONLY);
    const log = openSync(this.log, 'a', 0o600);
    try {
      const child = spawn('/bin/sh', ['-c', script, 'sh', ...command], {
        ...this.user,
        env: { ...ENVIRONMENT, pipe: this.path, cluster: this.cluster },
        cwd: '/',
        detached: true,
        stdio: ['ignore', log, log, reader],
      });
      await once(child, 'spawn');
      child.unref();
      return { child, hold };
    } catch (error) {
      closeSync(hold);
      throw error;
    } finally {
      for (const descriptor of [both, reader, log]) closeSync(descriptor);
    }
  }
}

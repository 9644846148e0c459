import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/** The tries of a command that fails because the database or a node fails, half a second apart. */
const MOST_TRIES = 60;

/** Runs a command of the built command line as an operator does, until it succeeds. Returns its output. */
export async function operate(env: Readonly<Record<string, string>>, ...command: string[]): Promise<string> {
  for (let tries = 1; ; tries++) {
    try {
      const options = { env: { PATH: process.env['PATH'], ...env } };
      const { stdout } = await promisify(execFile)(process.execPath, ['dist/src/cli.js', ...command], options);
      return stdout;
    } catch (error) {
      if (tries >= MOST_TRIES) throw error;
      await sleep(500);
    }
  }
}

interface Pending {
  readonly id: string;
  readonly app_id: string;
}

/** The operator's way out: compares the books with the chains, then ends each transfer that is still pending. */
export async function closePending(
  env: Readonly<Record<string, string>>,
  pending: () => Promise<readonly Pending[]>,
): Promise<void> {
  if ((await pending()).length === 0) return;
  await operate(env, 'transfers', 'reconcile', '--apply');
  for (const { id, app_id } of await pending()) {
    await operate(env, 'transfers', 'close', id, '--app', app_id, '--reason', 'Its end cannot be proven.');
  }
}

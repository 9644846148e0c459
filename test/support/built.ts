import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Builds `dist` from the current sources, for tests that start it. Takes milliseconds if it is current. */
export async function ensureBuilt(): Promise<void> {
  await promisify(execFile)(process.execPath, ['.ci/setup.mjs', 'build']);
}

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Makes `dist` from the sources as they are now, for tests that start it. Takes milliseconds when it is. */
export async function ensureBuilt(): Promise<void> {
  await promisify(execFile)(process.execPath, ['.ci/setup.mjs', 'build']);
}

// Builds dist, `npm run build`: the service, and beside it the revision, the console, the reference and the guide. They
// share no file, so that a machine with two processors needs half of the time.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Runs a program in the project. Its output goes to stderr. */
export async function run(name, [command, ...args]) {
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 2, 2], shell: command.endsWith('.cmd') });
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  if (code !== 0) throw new Error(`${name} failed (exit code ${code}), see above`);
}

const runScript = (name, ...script) => run(name, [process.execPath, ...script]);

export const buildGuide = () => runScript('eleventy', '.ci/guide.mjs');
export const buildDemo = () => runScript('esbuild', '.ci/demo.mjs');

async function buildPages() {
  await runScript('vite build', '.ci/console.mjs');
  await runScript('copy of Redoc', '.ci/reference.mjs');
  await buildGuide();
}

export async function build() {
  rmSync(`${root}dist`, { recursive: true, force: true });
  const service = runScript('compiler', '.ci/compile.mjs');
  // Both end before the failure of one of them is reported.
  const results = await Promise.allSettled([service, buildPages()]);
  const failed = results.find(({ status }) => status === 'rejected');
  if (failed) throw failed.reason;
  await runScript('revision', '.ci/revision.mjs');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build();

// The fast gate, before every push: all checks that need no test run, the architecture tests, and a module that `npm run module` writes.
// Each is an npm script, and as many run at a time as there are cores. Every check runs even if another fails; the output of the failed
// ones comes last. With --beside-tests the architecture tests are left to `npm test`, and in the copy of `module:check` to its tests.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

// The longest first, so that no core is idle at the end.
const { IS_MODULE_CHECK: isModuleCheck } = process.env;
const isBesideTests = process.argv.includes('--beside-tests');
const checks = [
  ...(isModuleCheck || isBesideTests ? [] : ['architecture']),
  ...(isModuleCheck ? [] : ['module:check']),
  'format:check',
  'lint',
  'arrows',
  'openapi:check',
  'sql:check',
  'unused',
  'openapi:lint',
];
const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
if (isBesideTests) env.IS_BESIDE_TESTS = '1';

/** The output of a failed script, or null. */
function run(check) {
  const started = performance.now();
  const child = spawn(`npm run --silent ${check}`, { shell: true, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  return new Promise((resolve) =>
    child.on('close', (code) => {
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${check} (${seconds} s)`);
      resolve(code === 0 ? null : `\n--- npm run ${check}\n${output.trim()}`);
    }),
  );
}

const waiting = [...checks];
const failures = [];
async function work() {
  for (let check; (check = waiting.shift());) {
    const failure = await run(check);
    if (failure) failures.push(failure);
  }
}
await Promise.all(Array.from({ length: availableParallelism() }, work));
for (const failure of failures) console.log(failure);
console.log(`\n${checks.length - failures.length} passed, ${failures.length} failed`);
process.exitCode = failures.length > 0 ? 1 : 0;

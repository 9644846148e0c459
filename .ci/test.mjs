// `npm test`: Jest with these arguments, on the first tier of the tests (test-tiers.cjs) or on the test files that the arguments name.
// `--whole` stands for all tests, `--rest` for those that the first tier leaves, `--changed` for the test files that are nearest to the
// changes since main, and `--times` writes test/times.tsv.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import tiers from './test-tiers.cjs';

/** About 45 s on two cores, in lines of end-to-end tests. */
const MOST_LINES = 1_500;
/** Calls through all layers: it runs whenever code of the service has changed. */
const SMOKE = 'test/modules/session/verify-call.e2e-spec.ts';
const SERVICE = /^(src|migrations|openapi\/client\/src)\/.*\.(tsx?|sql)$/;
const TEST_FILE = /^test\/.*spec\.ts$/;
const TEST_HELPER = /^test\/.*\.ts$/;

const testFiles = readdirSync('test', { recursive: true })
  .map((path) => `test/${String(path)}`)
  .filter((path) => TEST_FILE.test(path));
const testsIn = (folder) => testFiles.filter((file) => file.startsWith(`${folder}/`));

function git(...args) {
  const { status, stdout } = spawnSync('git', args, { encoding: 'utf8' });
  return status === 0 ? stdout.split('\n').filter(Boolean) : [];
}

/** All that differs in the working tree since the branch left main, with new files. */
function changedFiles() {
  const [base = 'HEAD'] = ['origin/main', 'main'].flatMap((main) => git('merge-base', 'HEAD', main));
  return [...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')];
}

/**
 * The folder of tests that mirrors the folder of a file, or the nearest one above it that has tests: `test/modules/wallet/keys` for
 * `src/modules/wallet/keys/application/x.ts`.
 */
function testFolderOf(file) {
  for (let folder = dirname(mirrorOf(file)); folder.startsWith('test/'); folder = dirname(folder))
    if (testsIn(folder).length > 0) return folder;
  return null;
}

const mirrorOf = (file) =>
  file
    .replace(/^migrations\//, 'test/postgres/')
    .replace(/^(src|openapi)\//, 'test/')
    .replace(/\/(domain|application|infrastructure|http|sql)\//g, '/');

/** An end-to-end file also loads the service. A line of another test takes a quarter of the time. */
function costOf(file) {
  const lines = readFileSync(file, 'utf8').split('\n').length;
  return file.endsWith('.e2e-spec.ts') ? lines + 100 : lines / 4;
}

const isWithin = (folders) => (file) => folders.some((folder) => file.startsWith(`test/${folder}/`));

/**
 * The changed test files and all of the folders where a fault costs money, then the test files nearest to the change, the shortest
 * first, as far as they are within the bound.
 */
function testsOf(changed) {
  const isCode = (file) => SERVICE.test(file) || (TEST_HELPER.test(file) && !TEST_FILE.test(file));
  const first = changed.filter((file) => TEST_FILE.test(file) && existsSync(file));
  if (changed.some((file) => SERVICE.test(file))) first.push(SMOKE);
  const near = [...new Set(changed.filter(isCode).map(testFolderOf).filter(Boolean).flatMap(testsIn))];
  const dear = tiers.WHOLE_WHEN_CHANGED.filter((folder) =>
    changed.filter(isCode).some((file) => isWithin([folder])(mirrorOf(file))),
  );
  first.push(...testFiles.filter(isWithin(dear)));
  const chosen = new Set(first);
  let lines = changed.filter((file) => chosen.has(file)).reduce((sum, file) => sum + costOf(file), 0);
  for (const file of near.toSorted((a, b) => costOf(a) - costOf(b))) {
    if (chosen.has(file)) continue;
    lines += costOf(file);
    if (lines > MOST_LINES) break;
    chosen.add(file);
  }
  return { chosen: [...chosen], left: near.filter((file) => !chosen.has(file)) };
}

const areFilesNamed = (given) => given.some((argument) => /^(\.\/)?test\//.test(argument));

function argumentsOf(given) {
  // The workers write their times here.
  if (given.includes('--times')) process.env.TEST_TIMES = join(mkdtempSync(join(tmpdir(), 'times-')), 'lines');
  const [tier] = ['rest', 'whole'].filter((name) => given.includes(`--${name}`));
  if (tier) process.env.TEST_TIER = tier;
  else if (!given.includes('--changed') && !areFilesNamed(given)) process.env.TEST_TIER = 'first';
  if (!given.includes('--changed'))
    return given.filter((argument) => !['--rest', '--times', '--whole'].includes(argument));
  const { chosen, left } = testsOf(changedFiles());
  console.error(
    `changed: ${chosen.length} test files run, and ${left.length} near the changes are left to npm run test:whole`,
  );
  for (const file of left) console.error(`  left: ${file}`);
  if (chosen.length === 0) process.exit(0);
  return [
    ...given.filter((argument) => argument !== '--changed'),
    '--selectProjects',
    'unit',
    'e2e',
    '--runTestsByPath',
    ...chosen,
  ];
}

// A worker takes over these options. With more room for what it has just made, it collects garbage less often.
process.execArgv.push('--max-semi-space-size=32');
process.argv.splice(2, Infinity, '-c', '.ci/jest.config.cjs', ...argumentsOf(process.argv.slice(2)));
await import('jest/bin/jest');

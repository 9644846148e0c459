// Prepares a fresh clone with Node and npm alone: installs what package-lock.json lists for package.json and, with the argument `tests`,
// for test/package.json; with `build`, compiles if dist does not match the sources; with `types`, generates the types of the client if
// they do not match the OpenAPI document. Runs before `npm start`, `npm test` and `npm run check`; takes milliseconds if there is nothing
// to do.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build as buildAll, buildDemo as bundleDemo, buildGuide as buildPages, run } from './build.mjs';
import { packagesOf, placesOfStart } from './packages.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const at = (...path) => join(root, ...path);
const say = (line) => console.error(`setup: ${line}`);

/** What npm downloads into an empty cache, in megabytes. The README says the same. */
const DOWNLOAD = { start: 170, tests: 205 };
const BUILD_INPUTS = [
  '.ci/build.mjs',
  '.ci/compile.mjs',
  '.ci/console.mjs',
  '.ci/reference.mjs',
  '.ci/revision.mjs',
  'migrations',
  'openapi/client/src',
  'openapi/redoc',
  'package-lock.json',
  'src',
  'tsconfig.build.json',
  'tsconfig.json',
];
const BUILD_STAMP = at('dist', '.made-of');
/** A page is no input of the build, so that a change of it compiles nothing. */
const GUIDE_INPUTS = [
  '.ci/guide.mjs',
  '.ci/sequence.mjs',
  'README.md',
  'docker/README.md',
  'docker/pages',
  'openapi/README.md',
  'openapi/client/README.md',
  'openapi/first-steps.md',
  'openapi/go/README.md',
  'openapi/guide',
  'openapi/look',
  'openapi/openapi.json',
  'openapi/python/README.md',
  'package-lock.json',
  ...pagesIn('src'),
  'test/bench/README.md',
  'test/demo/app',
];
const GUIDE_STAMP = at('dist', '.guide-made-of');
/** The demo app is no part of an image, so it is none of `npm run build`. */
const DEMO_INPUTS = [
  '.ci/demo.mjs',
  'openapi/client/src',
  'package-lock.json',
  'test/demo/app',
  'test/support/identity-provider.ts',
  'test/support/quiet-oidc-provider.ts',
];
const DEMO_STAMP = at('dist', '.demo-made-of');
const CLIENT_TYPES = at('openapi', 'client', 'dist', 'openapi.d.ts');
const LOCK = at('.setup.lock');
const LOCK_STALE_AFTER_MS = 10_000;

/** The places of the packages that a command needs, and of those of them that are not installed. */
function packages(withTests) {
  const locked = packagesOf(at('package-lock.json'));
  const wanted = withTests ? Object.keys(locked) : [...placesOfStart(locked)];
  // npm writes this file as the last step of an install.
  const installed = packagesOf(at('node_modules', '.package-lock.json'));
  const places = wanted.filter((path) => path.includes('node_modules/') && !locked[path].link);
  const missing = places.filter((path) =>
    installed[path] ? installed[path].version !== locked[path].version : !locked[path].optional,
  );
  return { places: places.filter((path) => !locked[path].optional), missing };
}

function pagesIn(folder) {
  const names = readdirSync(at(folder), { recursive: true, encoding: 'utf8' });
  const pages = names.filter((name) => name.endsWith('.md'));
  return pages.sort().map((name) => `${folder}/${name}`);
}

/** One hash over the names and contents of all inputs. File times would miss a deletion or a checkout. */
function hashOf(inputs) {
  const hash = createHash('sha256');
  const add = (path) => {
    // Generated from the other inputs, and not part of the build.
    if (/^migrations\/.*\.sql$/.test(path)) return;
    if (inputs === BUILD_INPUTS && path.endsWith('.md')) return;
    if (statSync(at(path)).isDirectory()) {
      for (const name of readdirSync(at(path)).sort()) add(`${path}/${name}`);
    } else {
      hash.update(`${path}\0`).update(
        createHash('sha256')
          .update(readFileSync(at(path)))
          .digest(),
      );
    }
  };
  inputs.forEach(add);
  return hash.digest('hex');
}

const isMadeOf = (stamp, inputs) => existsSync(stamp) && readFileSync(stamp, 'utf8') === hashOf(inputs);
const isBuilt = () => isMadeOf(BUILD_STAMP, BUILD_INPUTS);
const hasGuide = () => isMadeOf(GUIDE_STAMP, GUIDE_INPUTS);
const hasDemo = () => isMadeOf(DEMO_STAMP, DEMO_INPUTS);

/** Reports the start of some work, how far it is, and its end. A terminal has one line that changes. */
async function withProgress(doing, done, work, isAt = () => '') {
  const started = performance.now();
  const line = (text) => `setup: ${text}, ${Math.round((performance.now() - started) / 1000)} s`;
  const { isTTY } = process.stderr;
  const show = () => process.stderr.write(isTTY ? `\r${line(doing + isAt())}\u001B[K` : `${line(doing + isAt())}\n`);
  say(`${doing} …`);
  const timer = setInterval(show, isTTY ? 1_000 : 10_000);
  try {
    await work();
  } finally {
    clearInterval(timer);
    if (isTTY) process.stderr.write('\r\u001B[K');
  }
  console.error(line(done));
}

async function install(withTests) {
  // A clone that has run its tests keeps what they need.
  const all = withTests || existsSync(at('node_modules', 'jest'));
  const { places } = packages(all);
  const isFirst = !existsSync(at('node_modules', '.package-lock.json'));
  const isInstalled = (path) => existsSync(at(path, 'package.json'));
  const absent = places.filter((path) => !isInstalled(path)).length;
  const megabytes = (all ? DOWNLOAD.tests : 0) + (isInstalled('node_modules/typescript') ? 0 : DOWNLOAD.start);
  // Under `npm run` this is the npm that runs this script. It also works on Windows, where `npm` is a shell script.
  const npm = process.env.npm_execpath?.endsWith('npm-cli.js')
    ? [process.execPath, process.env.npm_execpath]
    : [process.platform === 'win32' ? 'npm.cmd' : 'npm'];
  await withProgress(
    `installing ${absent} packages (npm, at most ${megabytes} MB to download)`,
    `installed ${absent} packages`,
    () =>
      run('npm', [
        ...npm,
        // The second leaves what is installed, and changes neither package.json nor the lock file.
        ...(isFirst ? ['ci'] : ['install', '--no-save']),
        ...(all ? [] : ['--workspaces=false']),
        // The compiler and the tests are dev dependencies, which NODE_ENV=production would leave out.
        '--include=dev',
        '--no-audit',
        '--no-fund',
        '--no-progress',
        '--loglevel=error',
        // npm by itself waits 70 s for a registry that cannot be reached.
        '--fetch-retries=3',
        '--fetch-retry-mintimeout=500',
        '--fetch-retry-maxtimeout=3000',
      ]).catch((error) => {
        throw new Error(`${error.message}. Without a network, copy node_modules of another clone of this revision`);
      }),
    () => `: ${places.filter(isInstalled).length} of ${places.length}`,
  );
}

async function build() {
  const [madeOf, guideMadeOf] = [hashOf(BUILD_INPUTS), hashOf(GUIDE_INPUTS)];
  await withProgress('building dist: service, console, guide', 'built dist', buildAll);
  writeFileSync(BUILD_STAMP, madeOf);
  writeFileSync(GUIDE_STAMP, guideMadeOf);
}

async function buildGuide() {
  const madeOf = hashOf(GUIDE_INPUTS);
  await withProgress('building dist/guide (eleventy)', 'built dist/guide', buildPages);
  writeFileSync(GUIDE_STAMP, madeOf);
}

async function buildDemo() {
  const madeOf = hashOf(DEMO_INPUTS);
  await bundleDemo();
  writeFileSync(DEMO_STAMP, madeOf);
}

/** The first line of the generated types: what they were made of. */
function madeOfDocument() {
  const hash = createHash('sha256');
  for (const file of ['openapi/openapi.json', '.ci/client-types.mjs', '.ci/client-model.mjs'])
    hash.update(readFileSync(at(file)));
  const { version } = JSON.parse(readFileSync(at('node_modules', 'openapi-typescript', 'package.json'), 'utf8'));
  return `// openapi-typescript ${version}, openapi.json ${hash.digest('hex')}\n`;
}

function hasClientTypes() {
  return existsSync(CLIENT_TYPES) && readFileSync(CLIENT_TYPES, 'utf8').startsWith(madeOfDocument());
}

/** 14,000 lines that follow from the document alone, so they are not committed. */
async function generateClientTypes() {
  say('generating the types of the client (openapi-typescript) …');
  const madeOf = madeOfDocument();
  const output = `${CLIENT_TYPES}.new.ts`;
  mkdirSync(at('openapi', 'client', 'dist'), { recursive: true });
  await run('openapi-typescript', [process.execPath, at('.ci', 'client-types.mjs'), output]);
  writeFileSync(CLIENT_TYPES, madeOf + readFileSync(output, 'utf8'));
  rmSync(output);
}

/**
 * Runs one setup at a time in this directory. The holder touches the lock every second, so the lock of a killed process
 * becomes stale.
 */
async function exclusively(work) {
  for (let isReported = false; ;) {
    try {
      writeFileSync(LOCK, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const touched = statSync(LOCK, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - touched > LOCK_STALE_AFTER_MS) {
      rmSync(LOCK, { force: true });
    } else {
      if (!isReported) say('waiting for another setup in this directory …');
      isReported = true;
      await sleep(200);
    }
  }
  process.on('exit', () => rmSync(LOCK, { force: true }));
  const heartbeat = setInterval(() => utimesSync(LOCK, new Date(), new Date()), 1_000);
  try {
    await work();
  } finally {
    clearInterval(heartbeat);
  }
}

async function setUp(steps) {
  // Checked again under the lock: its previous holder may have done the work.
  if (steps.every(({ isDone }) => isDone())) return;
  await exclusively(async () => {
    for (const { isDone, perform } of steps) if (!isDone()) await perform();
  });
}

/**
 * `npm start` is `exec node …`: without the exec, the shell that npm starts would swallow SIGTERM and leave the service
 * running. cmd.exe has no exec and needs none, so on Windows a command of that name runs its arguments.
 */
function provideExec() {
  writeFileSync(at('node_modules', '.bin', 'exec.cmd'), '@%*\r\n');
}

const [major, minor] = process.versions.node.split('.').map(Number);
const withTests = process.argv.includes('tests') || process.argv.includes('types');
const steps = [{ isDone: () => packages(withTests).missing.length === 0, perform: () => install(withTests) }];
if (process.argv.includes('types')) steps.push({ isDone: hasClientTypes, perform: generateClientTypes });
if (process.argv.includes('build'))
  steps.push(
    { isDone: isBuilt, perform: build },
    { isDone: hasGuide, perform: buildGuide },
    { isDone: hasDemo, perform: buildDemo },
  );
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));
try {
  if (major < 20 || major === 21 || (major === 20 && minor < 19) || (major === 22 && minor < 13)) {
    throw new Error(
      `Node 20.19, or 22.13 or newer is needed (24 is best) and this is ${process.version}: see https://nodejs.org`,
    );
  }
  await setUp(steps);
  if (process.platform === 'win32') provideExec();
} catch (error) {
  say(error.message);
  process.exitCode = 1;
}

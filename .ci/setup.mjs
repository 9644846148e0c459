// Prepares a fresh clone with Node and npm alone: installs package-lock.json if node_modules differs from it and, with
// the argument `build`, compiles if dist does not match the sources; with the argument `types`, generates the types of
// the client if they do not match the OpenAPI document. Runs before every `npm start`, `npm test` and `npm run check`;
// takes milliseconds if there is nothing to do.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const at = (...path) => join(root, ...path);
const say = (line) => console.error(`setup: ${line}`);

const BUILD_INPUTS = [
  '.ci/console.mjs',
  '.ci/reference.mjs',
  '.ci/revision.mjs',
  'migrations',
  'nest-cli.json',
  'openapi/client/src',
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
  'openapi/guide',
  'openapi/look',
  'openapi/openapi.json',
  'package-lock.json',
  ...pagesIn('src'),
  'test/bench/README.md',
];
const GUIDE_STAMP = at('dist', '.guide-made-of');
const CLIENT_TYPES = at('openapi', 'client', 'dist', 'openapi.d.ts');
const LOCK = at('.setup.lock');
const LOCK_STALE_AFTER_MS = 10_000;

/** npm writes node_modules/.package-lock.json as the last step of an install, so it lists what is installed. */
function isInstalled() {
  const packagesOf = (file) => JSON.parse(readFileSync(file, 'utf8')).packages;
  const record = at('node_modules', '.package-lock.json');
  if (!existsSync(record)) return false;
  const installed = packagesOf(record);
  const { '': _project, ...wanted } = packagesOf(at('package-lock.json'));
  return Object.entries(wanted).every(([path, { version, optional }]) =>
    installed[path] ? installed[path].version === version : optional,
  );
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

async function install() {
  say('installing the packages of package-lock.json (npm ci) …');
  // Under `npm run` this is the npm that runs this script. It also works on Windows, where `npm` is a shell script.
  const npm = process.env.npm_execpath?.endsWith('npm-cli.js')
    ? [process.execPath, process.env.npm_execpath]
    : [process.platform === 'win32' ? 'npm.cmd' : 'npm'];
  // The compiler and the tests are dev dependencies, which NODE_ENV=production would leave out.
  // npm by itself waits 70 s for a registry that cannot be reached.
  const patience = ['--fetch-retries=3', '--fetch-retry-mintimeout=500', '--fetch-retry-maxtimeout=3000'];
  await run('npm ci', [
    ...npm,
    'ci',
    '--include=dev',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    ...patience,
  ]).catch((error) => {
    throw new Error(`${error.message}. Without a network, copy node_modules of another clone of this revision`);
  });
}

async function build() {
  say('building dist (nest build, vite build) …');
  const madeOf = hashOf(BUILD_INPUTS);
  await run('nest build', [process.execPath, at('node_modules', '@nestjs', 'cli', 'bin', 'nest.js'), 'build']);
  await run('revision', [process.execPath, at('.ci', 'revision.mjs')]);
  await run('vite build', [process.execPath, at('.ci', 'console.mjs')]);
  await run('copy of Redoc', [process.execPath, at('.ci', 'reference.mjs')]);
  writeFileSync(BUILD_STAMP, madeOf);
}

async function buildGuide() {
  say('building dist/guide (eleventy) …');
  const madeOf = hashOf(GUIDE_INPUTS);
  await run('eleventy', [process.execPath, at('.ci', 'guide.mjs')]);
  writeFileSync(GUIDE_STAMP, madeOf);
}

/** The first line of the generated types: what they were made of. */
function madeOfDocument() {
  const hash = createHash('sha256').update(readFileSync(at('openapi', 'openapi.json')));
  const { version } = JSON.parse(readFileSync(at('node_modules', 'openapi-typescript', 'package.json'), 'utf8'));
  return `// openapi-typescript ${version}, openapi.json ${hash.digest('hex')}\n`;
}

function hasClientTypes() {
  return existsSync(CLIENT_TYPES) && isInstalled() && readFileSync(CLIENT_TYPES, 'utf8').startsWith(madeOfDocument());
}

/** 14,000 lines that follow from the document alone, so they are not committed. */
async function generateClientTypes() {
  say('generating the types of the client (openapi-typescript) …');
  const madeOf = madeOfDocument();
  const output = `${CLIENT_TYPES}.new.ts`;
  mkdirSync(at('openapi', 'client', 'dist'), { recursive: true });
  await run('openapi-typescript', [
    process.execPath,
    at('node_modules', 'openapi-typescript', 'bin', 'cli.js'),
    at('openapi', 'openapi.json'),
    // A field with a default is optional in a request.
    '--default-non-nullable=false',
    `--output=${output}`,
  ]);
  writeFileSync(CLIENT_TYPES, madeOf + readFileSync(output, 'utf8'));
  rmSync(output);
}

async function run(name, [command, ...args]) {
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 2, 2], shell: command.endsWith('.cmd') });
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  if (code !== 0) throw new Error(`${name} failed (exit code ${code}), see above`);
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
const steps = [{ isDone: isInstalled, perform: install }];
if (process.argv.includes('types')) steps.push({ isDone: hasClientTypes, perform: generateClientTypes });
if (process.argv.includes('build'))
  steps.push({ isDone: isBuilt, perform: build }, { isDone: hasGuide, perform: buildGuide });
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

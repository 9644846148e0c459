// Generates a client from the OpenAPI document with each of five generators and compiles them strictly, after Spectral has found
// nothing in the document. The packages are installed outside of `test`, where other tools would read them.
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const DOCUMENT = resolve(process.argv[2] ?? 'openapi/openapi.json');
const HOME = resolve('node_modules/.cache/generators');
const OUTPUT = join(HOME, 'generated');
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  'openapi-typescript': ['bin/cli.js', DOCUMENT, '-o', 'openapi-typescript/index.ts'],
  '@hey-api/openapi-ts': ['bin/run.js', '-i', DOCUMENT, '-o', '@hey-api/openapi-ts', '-c', '@hey-api/client-fetch'],
  orval: ['dist/bin/orval.js', '--input', DOCUMENT, '--output', 'orval/index.ts', '--client', 'fetch'],
  oazapfts: ['dist/cli.js', DOCUMENT, 'oazapfts/index.ts'],
  'swagger-typescript-api': [
    'dist/cli.mjs',
    'generate',
    '-p',
    DOCUMENT,
    '-o',
    'swagger-typescript-api',
    '-n',
    'index.ts',
  ],
};
const COMPILER_OPTIONS = {
  target: 'es2022',
  lib: ['es2023', 'dom', 'dom.iterable'],
  module: 'esnext',
  moduleResolution: 'bundler',
  types: [],
  strict: true,
  noEmit: true,
};

/** Rules of Spectral that contradict the contract. */
const WITHOUT = {
  'openapi-tags-alphabetical': 'off', // tags have the order of a first use
  'info-license': 'off', // the service is not licensed to the public
  'license-url': 'off',
  'contact-properties': 'off', // who operates a service is not known here
};

interface Spectral {
  setRuleset(ruleset: unknown): void;
  run(document: unknown): Promise<{ code: string; message: string; path: (string | number)[] }[]>;
}

/** What all rules of Spectral for OpenAPI find. Its library is used, because its command line brings telemetry. */
async function findingsOfSpectral(): Promise<string[]> {
  const load = createRequire(join(HOME, 'package.json'));
  const { Spectral } = load('@stoplight/spectral-core') as { Spectral: new () => Spectral };
  const { oas } = load('@stoplight/spectral-rulesets') as { oas: unknown };
  const spectral = new Spectral();
  spectral.setRuleset({ extends: [[oas, 'all']], rules: WITHOUT });
  const findings = await spectral.run(JSON.parse(readFileSync(DOCUMENT, 'utf8')));
  return findings.map(({ code, message, path }) => `${code} ${path.join('.')}: ${message}`);
}

function report(name: string, failure: string | undefined): void {
  console.log(`${failure === undefined ? 'ok    ' : 'FAILED'} ${name}`);
  if (failure === undefined) return;
  console.log(failure.slice(0, 5_000));
  process.exitCode = 1;
}

function install(): void {
  const lock = readFileSync('test/generators/package-lock.json', 'utf8');
  const stamp = join(HOME, 'installed-lock.json');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  mkdirSync(HOME, { recursive: true });
  for (const name of ['package.json', 'package-lock.json']) cpSync(`test/generators/${name}`, join(HOME, name));
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  execFileSync(npm, ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: HOME,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  writeFileSync(stamp, lock);
}

/** The operations that are missing in what a generator has written. Each generator spells their ids in its own way. */
function missingOperations(directory: string): string[] {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const plain = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, '');
  const text = plain(files.map((name) => readFileSync(join(directory, name), 'utf8')).join('\n'));
  const { paths } = JSON.parse(readFileSync(DOCUMENT, 'utf8')) as {
    paths: Record<string, Record<string, { operationId?: string }>>;
  };
  const ids = Object.values(paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId));
  return ids.filter((id): id is string => id !== undefined && !text.includes(plain(id)));
}

/** The output of a program that fails; undefined if it succeeds. */
function failureOf(program: string, args: readonly string[]): string | undefined {
  try {
    execFileSync(process.execPath, [program, ...args], { cwd: OUTPUT, encoding: 'utf8', stdio: 'pipe' });
    return undefined;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    return `${stdout}${stderr}`.trim() || String(error);
  }
}

install();
const findings = await findingsOfSpectral();
report('Spectral', findings.length === 0 ? undefined : findings.join('\n'));
rmSync(OUTPUT, { recursive: true, force: true });
mkdirSync(OUTPUT);
for (const [name, [program, ...args]] of Object.entries(COMMANDS)) {
  const home = join(HOME, 'node_modules', name);
  const directory = join(OUTPUT, name);
  mkdirSync(directory, { recursive: true });
  let failure = failureOf(join(home, program!), args);
  if (failure === undefined && missingOperations(directory).length > 0)
    failure = `lacks the operations ${missingOperations(directory).join(', ')}`;
  if (failure === undefined) {
    const project = join(directory, 'tsconfig.json');
    writeFileSync(project, JSON.stringify({ compilerOptions: COMPILER_OPTIONS, include: ['.'] }));
    failure = failureOf(resolve('node_modules/typescript/bin/tsc'), ['-p', project]);
  }
  const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { version: string };
  report(`${name} ${version}`, failure);
}

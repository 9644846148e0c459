import { type ChildProcessWithoutNullStreams, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../src/dev/free-port.js';
import { startApp, type TestApp } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import { codeIn, Inbox } from '../support/inbox.js';

// Runs each quickstart as its page shows it, and makes the calls of the page that lists them. A program whose toolchain or framework
// is not on the machine is only compiled, or not run at all.

const FOLDER = 'openapi/guide/quickstarts';
const MOST_WORDS = 150;
const CLIENT = resolve('openapi/client/src');

let inbox: Inbox;
let service: TestApp;
let directory: string;
beforeAll(async () => {
  inbox = await Inbox.start();
  // The service must listen at the address that its JWTs name.
  const port = String(await freePort());
  service = await startApp({
    env: { ...inbox.env, PORT: port, HOST: '127.0.0.1', BASE_URL: `http://127.0.0.1:${port}` },
  });
  // Below the modules of the project, where Node finds express and Nest.
  mkdirSync('node_modules/.cache', { recursive: true });
  directory = mkdtempSync(resolve('node_modules/.cache/quickstarts-'));
});
afterAll(async () => {
  rmSync(directory, { recursive: true, force: true });
  await service?.stop();
  await inbox?.stop();
});

const pageOf = (name: string): string => readFileSync(`${FOLDER}/${name}.md`, 'utf8');
const blocksOf = (text: string): string[] => [...text.matchAll(/^```\w+\n([\s\S]*?)^```$/gm)].map(([, code]) => code!);

function written(path: string, text: string): string {
  const file = join(directory, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

/** The program in one file: the client from its source, other packages from the modules of the project. */
function bundled(entry: string): string {
  const output = `${entry}.mjs`;
  const aliases = ['express', 'next'].map((name) => `--alias:identity-and-wallets-client/${name}=${CLIENT}/${name}.ts`);
  execFileSync(join(require.resolve('esbuild/package.json'), '../bin/esbuild'), [
    entry,
    `--outfile=${output}`,
    '--bundle',
    '--platform=node',
    '--format=esm',
    '--packages=external',
    '--log-level=error',
    `--alias:identity-and-wallets-client=${CLIENT}/index.ts`,
    ...aliases,
    '--tsconfig-raw={"compilerOptions":{"experimentalDecorators":true}}',
  ]);
  return output;
}

const isThere = (command: string, ...args: string[]): boolean => {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};
const hasPython = isThere('python3', '-c', 'import sys; sys.exit(sys.version_info < (3, 11))');
const hasGo = isThere('go', 'version');
const whereIs = (hasIt: boolean) => (hasIt ? describe : describe.skip);
const output = (command: string, args: string[], cwd: string): string =>
  execFileSync(command, args, { cwd, encoding: 'utf8' });

/** Starts a program with the variables that a development start prints, and logs a user in as the list of quickstarts shows it. */
async function visit(command: string, args: string[], env: Record<string, string> = {}): Promise<void> {
  const app = await service.given.app();
  const port = String(await freePort());
  const variables = { S: service.url, APP: app.id, SECRET: app.secretKey, PORT: port };
  const program = spawn(command, args, { cwd: directory, env: { ...process.env, ...variables, ...env } });
  const ended = once(program, 'exit');
  try {
    await logIn(program, port);
  } finally {
    program.kill('SIGKILL');
    await ended;
  }
}

async function logIn(program: ChildProcessWithoutNullStreams, port: string): Promise<void> {
  const printed: Buffer[] = [];
  for (const stream of [program.stdout, program.stderr]) stream.on('data', (chunk: Buffer) => printed.push(chunk));
  const refused = await eventually(async () => {
    if (program.exitCode !== null) return Buffer.concat(printed).toString();
    return (await fetch(`http://localhost:${port}/me`)).status;
  });
  expect(refused).toBe(401);

  const [block] = blocksOf(readFileSync('openapi/guide/quickstarts.md', 'utf8'));
  const [code, login, me] = block!.trim().replaceAll('localhost:3001', `localhost:${port}`).split('\n');
  const run = async (line: string | undefined, env: Record<string, string> = {}) => {
    const options = { cwd: directory, env: { ...process.env, ...env } };
    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', line!.replace('curl', 'curl -sS')], options);
    return JSON.parse(stdout) as Record<string, string>;
  };
  const { answer, message } = await inbox.after('ann@example.com', () => run(code));
  const sent = { EMAIL_ID: answer['email_id']!, CODE: codeIn(message) };
  expect(await run(login, { ...sent, CODE: '12' })).toEqual({ error: expect.any(String) });
  const loggedIn = await run(login, sent);
  expect(loggedIn).toEqual({ user_id: expect.stringMatching(/^user_/) });
  expect(await run(me)).toEqual(loggedIn);
  rmSync(join(directory, 'jar'));
}

it.each(readdirSync(FOLDER))(`%s has at most ${MOST_WORDS} words beside its code, and is listed`, (file) => {
  const text = readFileSync(join(FOLDER, file), 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '');
  expect(text.split(/\s+/).length).toBeLessThanOrEqual(MOST_WORDS);
  expect(readFileSync('openapi/guide/quickstarts.md', 'utf8')).toContain(`(quickstarts/${file})`);
  expect(readFileSync('openapi/guide/contents.json', 'utf8')).toContain(`"quickstarts/${file.replace('.md', '')}"`);
});

it('a backend of Express logs a user in', async () => {
  const [code] = blocksOf(pageOf('express'));
  await visit(process.execPath, [bundled(written('express.js', code!))]);
});

it('a backend of Nest logs a user in', async () => {
  const [code] = blocksOf(pageOf('nest'));
  await visit(process.execPath, [bundled(written('nest.ts', `import 'reflect-metadata';\n${code}`))]);
});

it('the route handlers of Next log a user in, behind a server that passes them what Next does', async () => {
  for (const block of blocksOf(pageOf('next'))) written(/^\/\/ (\S+)/.exec(block)![1]!, block);
  const server = `import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import * as code from './app/code/route';
import * as login from './app/login/route';
import * as me from './app/me/route';
const routes = { '/code': code, '/login': login, '/me': me };
createServer(async (request, response) => {
  const { method, headers, url } = request;
  const body = method === 'POST' ? await text(request) : undefined;
  const answer = await routes[url][method](new Request('http://localhost' + url, { method, headers, body }));
  response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
}).listen(process.env.PORT);`;
  await visit(process.execPath, [bundled(written('next.ts', server))]);
});

for (const framework of ['django', 'fastapi']) {
  whereIs(hasPython)('where Python is', () => {
    it(`a backend of ${framework} compiles`, () => {
      const [code] = blocksOf(pageOf(framework));
      expect(isThere('python3', '-m', 'py_compile', written(`${framework}_app.py`, code!))).toBe(true);
    });
  });

  whereIs(hasPython && isThere('python3', '-c', `import ${framework}`))(`where ${framework} is`, () => {
    it('a backend of it logs a user in', async () => {
      const [code] = blocksOf(pageOf(framework));
      const file = written(`${framework}_app.py`, code!);
      await visit('python3', ['-B', file], { PYTHONPATH: resolve('openapi/python') });
    });
  });
}

whereIs(hasGo)('where Go 1.19 is', () => {
  it('a backend of Go is formatted and logs a user in', async () => {
    const [code] = blocksOf(pageOf('go'));
    const home = dirname(written('go/main.go', code!));
    const name = 'identity-and-wallets/client';
    written(
      'go/go.mod',
      `module quickstart\n\ngo 1.19\n\nrequire ${name} v0.0.0\n\nreplace ${name} => ${resolve('openapi/go')}\n`,
    );
    expect(output('gofmt', ['-l', '.'], home)).toBe('');
    output('go', ['build', '-o', 'quickstart', '.'], home);
    await visit(join(home, 'quickstart'), []);
  });
});

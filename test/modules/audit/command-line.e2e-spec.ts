import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../../../src/cli/run-command.js';
import { startApp, type TestApp } from '../../support/app.js';
import { Chains } from './chains.js';

const MASTER_KEYS = `k1:${createHash('sha256').update('the master key of this test').digest('base64')}`;

let service: TestApp;
let chains: Chains;
let folder: string;
beforeAll(async () => {
  service = await startApp({ env: { ROLE: 'api', MASTER_KEYS } });
  chains = new Chains(service);
  folder = await mkdtemp(join(tmpdir(), 'audit-'));
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

async function run(command: string) {
  let out = '';
  let err = '';
  const terminal = { out: (text: string) => void (out += text), err: (text: string) => void (err += text) };
  const env = { NODE_ENV: 'test', DATABASE_URL: service.databaseUrl, MASTER_KEYS };
  return { status: await runCommand(command.split(' '), { env, terminal }), out, err };
}

const QUIET = { out: () => undefined, err: () => undefined };
const ENV = () => ({ NODE_ENV: 'test', DATABASE_URL: service.databaseUrl, MASTER_KEYS });

async function stored(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

describe('audit verify', () => {
  it('exits with 0 while all chains hold, and with 1 and the first broken link of each when they do not', async () => {
    const [whole, broken] = [await chains.appWithChain(), await chains.appWithChain()];
    const before = await run('audit verify --json');
    expect([before.status, JSON.parse(before.out)]).toMatchObject([0, { broken: 0 }]);
    expect(JSON.parse(before.out).chains).toBeGreaterThanOrEqual(3);

    await chains.sql(`update audit_log set actor = actor || '_' where app_id = $1 and number in (2, 4)`, [broken]);
    const after = await run('audit verify --json');
    expect([after.status, JSON.parse(after.out)]).toMatchObject([1, { broken: 1 }]);
    expect(JSON.parse(after.out)[`${broken} #2`]).toContain('hash differs');
    expect(after.err).toContain(`${broken}, entry 2: `);
    expect((await run(`audit verify --app ${whole}`)).status).toBe(0);
    expect((await run(`audit verify --app ${broken}`)).status).toBe(1);
    expect((await run(`audit verify --app none`)).status).toBe(0);
    await chains.sql(`update audit_log set actor = rtrim(actor, '_') where app_id = $1`, [broken]);
    expect((await run(`audit verify --app ${broken}`)).status).toBe(0);
  });
});

describe('audit verify --head', () => {
  it('exits with 0 for a head from the log, and with 1 when the database is older', async () => {
    const lines: string[] = [];
    const log = { write: (line: string) => void lines.push(line) };
    const worker = await startApp({
      databaseUrl: service.databaseUrl,
      env: { ROLE: 'api', MASTER_KEYS, LOG_LEVEL: 'info' },
      log,
    });
    const setBack = await chains.copy();
    const app = await chains.appWithChain();
    await chains.chain();
    await new Chains(worker).sign();
    await worker.stop();
    const signed = lines.map((line) => JSON.parse(line) as Record<string, Record<string, unknown>>);
    expect(signed.find(({ audit_checkpoint: of }) => of?.['app_id'] === app)?.['audit_checkpoint']).toMatchObject({
      seq: 2,
      number: 5,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const head = lines.find((line) => line.includes('audit_head'))!.trim();
    const verify = (line: string) =>
      runCommand(['audit', 'verify', '--app', 'none', '--head', line], { env: ENV(), terminal: QUIET });
    expect(await verify(head)).toBe(0);
    expect(await verify(head.replace(/"entries":(\d+)/, '"entries":1$1'))).toBe(1);
    expect(await verify('{}')).toBe(64);
    const putBack = await chains.copy();
    await setBack();
    expect(await verify(head)).toBe(1);
    await putBack();
  });
});

describe('audit export', () => {
  it('is verified with the public keys alone, also when it was made in parts, and after the key was rotated', async () => {
    const app = await chains.appWithChain();
    const first = (await run(`audit export --app ${app}`)).out;
    expect(first.trimEnd().split('\n')).toHaveLength(7);
    expect((await run('audit rotate-key')).status).toBe(0);
    await chains.rename(app, 'Later');
    await chains.sign();
    const rest = (await run(`audit export --app ${app} --after 5`)).out;
    const keys = await stored('keys.pem', (await run('audit public-key')).out);
    const parts = await stored('parts.jsonl', first + rest);
    const verified = await run(`audit verify --file ${parts} --public-key ${keys} --json`);
    expect([verified.status, JSON.parse(verified.out)]).toMatchObject([0, { entries: 6, checkpoints: 2 }]);

    const changed = await stored('changed.jsonl', first.replace('"Name', '"X').replace('app.updated', 'app.other'));
    expect((await run(`audit verify --file ${changed} --public-key ${keys}`)).status).toBe(1);
    const whole = await stored('whole.jsonl', (await run('audit export')).out);
    expect((await run(`audit verify --file ${whole} --public-key ${keys}`)).status).toBe(0);
  });

  it.each([
    ['audit verify --file x', 64],
    ['audit export --after 5', 64],
    ['audit export --app user_1', 64],
    ['audit export --app none --after x', 64],
    ['audit nonsense', 64],
    ['audit', 64],
    ['audit export --app none --after 999999', 1],
    ['audit verify --file /nonexistent --public-key /nonexistent', 1],
  ])('"%s" exits with %i', async (command, status) => {
    const ran = await run(command);
    expect([ran.status, ran.out]).toEqual([status, '']);
    expect(ran.err).not.toBe('');
  });
});

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { runCommand } from '../../src/cli/run-command.js';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';

const MANAGEMENT_KEY = `mk_${'diagnosis'.repeat(4)}`;

let database: TestDatabase;
let dataDir: string;
let env: Record<string, string>;
beforeAll(async () => {
  database = await createDatabase();
  dataDir = mkdtempSync(join(tmpdir(), 'diagnose-'));
  env = { NODE_ENV: 'test', DATABASE_URL: database.url, DATA_DIR: dataDir, MANAGEMENT_KEY };
});
afterAll(async () => {
  await database.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

const run = (...command: string[]) => runWith({}, ...command);
async function runWith(more: Record<string, string>, ...command: string[]) {
  let [out, err] = ['', ''];
  const terminal = { out: (text: string) => void (out += text), err: (text: string) => void (err += text) };
  const status = await runCommand(['diagnose', '--take', ...command, '--json'], { env: { ...env, ...more }, terminal });
  return { status, json: JSON.parse(out) as Record<string, string>, err };
}

describe('a running process', () => {
  let service: ChildProcess;
  let log = '';

  beforeAll(async () => {
    const main = join(__dirname, '../../dist/src/main.js');
    const path = process.env['PATH'] ?? '';
    service = spawn(process.execPath, [main], {
      env: { ...env, PATH: path, PORT: '0', LOG_LEVEL: 'info', LOG_FORMAT: 'json', DRAIN_SECONDS: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    service.stdout!.setEncoding('utf8').on('data', (text: string) => (log += text));
    await eventually(() => expect(log).toContain('"ready"'));
  });
  afterAll(async () => {
    service.kill('SIGKILL');
    await once(service, 'close');
  });

  it('changes the level of its log, and writes a profile, without a restart', async () => {
    expect(await run('log', '--level', 'silent')).toMatchObject({ status: 0, json: { log: 'silent' } });
    const { status, json } = await run('profile', '--seconds', '1');
    expect(status).toBe(0);
    expect(JSON.parse(readFileSync(json['profile']!, 'utf8'))).toMatchObject({ nodes: expect.any(Array) });
    expect(statSync(json['profile']!).mode & 0o077).toBe(0);
    expect(service.exitCode).toBeNull();
  });

  it('writes its heap, for the owner alone', async () => {
    const { status, json } = await run('heap');
    expect(status).toBe(0);
    expect(statSync(json['heap']!).size).toBeGreaterThan(1_000_000);
    expect(statSync(json['heap']!).mode & 0o077).toBe(0);
  });
});

describe('a process that has ended', () => {
  it('gets no order: the signal would end another one that has its id now', async () => {
    const other = spawn('sleep', ['600'], { stdio: 'ignore' });
    const shared = mkdtempSync(join(tmpdir(), 'diagnose-'));
    try {
      mkdirSync(join(shared, 'diagnosis'));
      writeFileSync(join(shared, 'diagnosis/pid'), `${other.pid} 1`);
      const terminal = { out: () => undefined, err: () => undefined };
      const at = { env: { ...env, DATA_DIR: shared }, terminal };
      const ordered = runCommand(['diagnose', '--take', 'log'], at);
      const ended = once(other, 'close').then(() => 'was ended');
      expect(await Promise.race([ordered, ended])).toBe(64);
      expect([other.exitCode, other.signalCode]).toEqual([null, null]);
    } finally {
      other.kill('SIGKILL');
      rmSync(shared, { recursive: true, force: true });
    }
  });
});

describe('a bundle for a report', () => {
  it('has versions, findings and sizes, and no secret', async () => {
    const { status, json } = await run('support');
    expect(status).toBe(0);
    const text = readFileSync(json['file']!, 'utf8');
    expect(JSON.parse(text)).toMatchObject({
      version: expect.any(String),
      settings: { nodeEnv: 'test' },
      doctor: { database: 'ok' },
      database: { tables: expect.arrayContaining([expect.objectContaining({ name: 'users' })]) },
    });
    for (const secret of [MANAGEMENT_KEY, database.url, new URL(database.url).password])
      expect(text).not.toContain(secret);
  });

  it('names no host', async () => {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    await client.query(
      `insert into replicas (id, host, version, revision, role) values ('other', 'replica-7', '1', 'r', 'all')`,
    );
    await client.end();
    const mail = { SMTP_URL: 'smtp://mail.corp.example:25', MAIL_FROM: 'a@corp.example' };
    const rpc = 'http://user:secret@node-3.corp.example:1/key';
    const { json } = await runWith({ ...mail, ETHEREUM_RPC_URL: rpc }, 'support');
    const text = readFileSync(json['file']!, 'utf8');
    expect(text).toContain('"replicas"');
    for (const host of ['replica-7', 'corp.example', 'node-3', hostname(), new URL(database.url).hostname])
      expect(text).not.toContain(host);
  });

  it('is refused with another word', async () => {
    expect((await run('all')).status).toBe(64);
  });
});

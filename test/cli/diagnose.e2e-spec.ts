import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

async function run(...command: string[]) {
  let [out, err] = ['', ''];
  const terminal = { out: (text: string) => void (out += text), err: (text: string) => void (err += text) };
  const status = await runCommand(['diagnose', '--take', ...command, '--json'], { env, terminal });
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

  it('is refused with another word', async () => {
    expect((await run('all')).status).toBe(64);
  });
});

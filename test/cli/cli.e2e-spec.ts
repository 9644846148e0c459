import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runCommand } from '../../src/cli/run-command.js';
import { Database } from '../../src/postgres/database.js';
import { PolicyApp } from '../modules/policy/policies.js';
import { startApp, type TestApp } from '../support/app.js';
import { forgetSettings } from '../support/background.js';
import { createEmptyDatabase, type TestDatabase } from '../support/database.js';
import { signRows } from '../support/row-macs.js';

const MASTER_KEYS = `k1:${Buffer.from('7e1c5a9d3f20b8e46a0d92c1f57b38e4a6d0c2917f4e5b8a3c6d1e0f92b7a485', 'hex').toString('base64')}`;
const OTHER_KEYS = `k2:${Buffer.from('19c4e07b5d8f2a63be0c71d9485fa3e216b7d8054c9e3fa1270d6b8e5c4f9a31', 'hex').toString('base64')}`;

let service: TestApp;
let env: Record<string, string>;
beforeAll(async () => {
  service = await startApp({ env: { MASTER_KEYS } });
  env = { NODE_ENV: 'test', DATABASE_URL: service.databaseUrl, MASTER_KEYS };
});
afterAll(() => service.stop());

interface Ran {
  readonly status: number;
  readonly out: string;
  readonly err: string;
  // The shape differs between commands.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly json: any;
}

async function run(command: string, more: Record<string, string> = {}): Promise<Ran> {
  let out = '';
  let err = '';
  const terminal = { out: (text: string) => void (out += text), err: (text: string) => void (err += text) };
  const status = await runCommand(command.split(' ').filter(Boolean), { env: { ...env, ...more }, terminal });
  return { status, out, err, json: out.startsWith('{') ? JSON.parse(out) : undefined };
}
const use = (key: string) => service.call('GET', '/v1/auth/oauth_connections/list', { key });

describe('the command line', () => {
  it('creates an app with working keys', async () => {
    const { status, json } = await run('create-app --name Shop --mode live --json');
    expect(status).toBe(0);
    expect(json).toEqual({
      app_id: expect.stringMatching(/^app_/),
      secret_key: expect.stringMatching(/^sk_live_/),
      public_token: expect.stringMatching(/^pk_live_/),
    });
    expect((await use(json.secret_key)).status).toBe(200);
  });

  it('creates and revokes a key of an app and writes both to the audit log', async () => {
    const app = await service.given.app();
    const made = (await run(`create-key --app ${app.id} --name CI --json`)).json;
    expect((await use(made.key)).status).toBe(200);
    expect((await run(`revoke-key --app ${app.id} --key ${made.id} --json`)).json).toEqual({ revoked: made.id });
    forgetSettings(service);
    expect((await use(made.key)).status).toBe(401);
    const log = await service.call('GET', `/management/v1/apps/${app.id}/audit_log`, { key: service.managementKey });
    expect(log.body.entries.slice(0, 2).map(({ action, actor }: Record<string, string>) => [action, actor])).toEqual([
      ['key.revoked', 'cli'],
      ['key.created', 'cli'],
    ]);
  });

  it('creates and revokes a management key', async () => {
    const { json } = await run('create-management-key --json');
    const list = () => service.call('GET', '/management/v1/apps', { key: json.key });
    expect((await list()).status).toBe(200);
    expect((await run(`revoke-management-key --key ${json.id}`)).status).toBe(0);
    forgetSettings(service);
    expect((await list()).status).toBe(401);
    expect((await run(`revoke-management-key --key ${json.id}`)).status).toBe(1);
  });

  it('creates management keys with a role, and lists them without the keys', async () => {
    const { json } = await run('create-management-key --name Audit --role auditor --expires-at 2100-01-01 --json');
    expect(json).toEqual({ id: expect.any(String), key: expect.any(String), role: 'auditor' });
    expect((await service.call('GET', '/management/v1/apps', { key: json.key })).status).toBe(200);
    const body = { name: 'X', mode: 'test' };
    expect((await service.call('POST', '/management/v1/apps', { key: json.key, body })).status).toBe(403);
    const listed = await run('list-management-keys --json');
    expect(listed.json[json.id]).toMatch(/^auditor, valid until 2100-01-01T00:00:00.000Z, created .*, "Audit"$/);
    expect(Object.values(listed.json)).toContainEqual(expect.stringMatching(/^owner, .*"MANAGEMENT_KEY"$/));
    expect(listed.out).not.toContain('mk_');
    expect((await run('create-management-key --role god')).status).toBe(64);
    expect((await run('create-management-key --expires-at 2000-01-01')).status).toBe(1);
  });

  it('seeds a demo app with a redirect URL', async () => {
    const { json } = await run('seed --json');
    expect(json.redirect_url).toBe('http://localhost:3001/login');
    expect((await use(json.secret_key)).status).toBe(200);
  });

  it('stops the keys of all apps, and lets them sign again', async () => {
    const usage = [64, expect.stringContaining('Missing: --all')];
    const { status, err } = await run('freeze --reason drill');
    expect([status, err]).toEqual(usage);
    const { frozen_since } = (await run('freeze --all --reason drill --json')).json;
    expect((await run('thaw --all', { MASTER_KEYS: OTHER_KEYS })).status).toBe(1);
    expect((await run('doctor --json')).json.signing).toBe(`stopped for all apps since ${frozen_since}: drill`);
    expect((await run('thaw --all --json')).json).toEqual({ thawed: true });
    expect((await run('thaw --all --json')).json).toEqual({ thawed: false });
  });

  it('lists the replicas that run', async () => {
    const { json } = await run('replicas --json');
    expect(Object.values(json)).toEqual([
      expect.stringMatching(/^\S+, \S+, revision \S+, role all, started \S+Z, seen \S+Z$/),
    ]);
  });

  it('migrates an empty database and refuses other commands before that', async () => {
    const empty: TestDatabase = await createEmptyDatabase();
    try {
      const at = { DATABASE_URL: empty.url };
      const early = await run('create-app --name X', at);
      expect([early.status, early.out]).toEqual([1, '']);
      expect(early.err).toContain('migrate');
      const doctor = await run('doctor --json', at);
      expect([doctor.status, doctor.json.database]).toEqual([1, 'ok']);
      expect(doctor.json.migrations).toContain('migrate');
      const migrated = await run('migrate --json', at);
      expect([migrated.status, migrated.json.applied > 3]).toEqual([0, true]);
      expect((await run('migrate --json', at)).json).toEqual({ applied: 0 });
      const refused = await run('distribute', at);
      expect([refused.status, refused.err]).toEqual([1, expect.stringContaining('no extension citus')]);
      expect((await run('create-app --name X', at)).status).toBe(0);
    } finally {
      await empty.drop();
    }
  });
});

describe('the doctor', () => {
  it('the doctor exits with 0 when every check passes', async () => {
    const { status, json } = await run('doctor --json');
    expect([status, json]).toEqual([
      0,
      {
        configuration: 'ok',
        database: 'ok',
        migrations: 'ok',
        clock: 'ok',
        // The test server runs without durability; only production treats that as a fault.
        durability: expect.stringMatching(/^fsync is off.* full_page_writes is off.* synchronous_commit is off/),
        master_keys: 'ok',
        books: 'ok',
        wallet_keys: 'ok',
        signing: 'ok',
        messages: 'ok',
        open_files: expect.any(String),
      },
    ]);
  });

  it('the doctor names apps whose policies are from before hashes were refused as messages', async () => {
    const policies = PolicyApp.at(service, await service.given.app());
    await policies.activate(await policies.version());
    expect((await run('doctor --json')).json.messages).toBe('ok');
    const { id } = policies.app;
    await service.nest.get(Database).write(`update apps set signing_policy = '{}' where id = $1`, [id]);
    await signRows(service, 'apps');
    const { status, json } = await run('doctor --json');
    expect([status, json.messages]).toEqual([0, expect.stringContaining(id)]);
    await policies.manage('PATCH', '', { signing_policy: { messages: 'any' } });
    expect((await run('doctor --json')).json.messages).toBe('ok');
  });

  it('the doctor names the wallets of a key that several apps manage', async () => {
    const shares = await Promise.all(
      [1, 2].map(async () => {
        const app = await service.given.app();
        const { user_id } = await service.given.user(app);
        return { app, user_id };
      }),
    );
    // An import before the release that refuses a key of another app.
    const wallets = await service.nest
      .get(Database)
      .write<{ app_id: string; id: string }>(
        `update wallets set public_address = '0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB' where app_id = any ($1) and is_default returning app_id, id`,
        [shares.map(({ app }) => app.id)],
      );
    const { status, json } = await run('doctor --json');
    expect(status).toBe(1);
    for (const { app_id, id } of wallets) expect(json.wallet_keys).toContain(`${app_id} ${id}`);
    // A deleted wallet signs nothing any more.
    const [{ app, user_id }] = shares as [(typeof shares)[0]];
    await service.call('DELETE', `/v1/auth/users/${user_id}/delete`, { key: app.secretKey });
    expect((await run('doctor --json')).json.wallet_keys).toBe('ok');
  });

  it('the doctor names the nodes and the mail server that cannot be used, and why', async () => {
    const node = createServer((request, response) => {
      void request.toArray().then((chunks: Buffer[]) => {
        const call = JSON.parse(Buffer.concat(chunks).toString()) as { id: number; method: string } | unknown[];
        // A node that takes no batches.
        if (Array.isArray(call)) return response.writeHead(400).end();
        const [hash, parentHash] = ['1', '0'].map((digit) => `0x${digit.repeat(64)}`);
        const block = { number: '0x0', hash, parentHash, timestamp: '0x695bb900' };
        const result = call.method === 'eth_chainId' ? '0x2a' : block;
        return response.end(JSON.stringify({ jsonrpc: '2.0', id: call.id, result }));
      });
    });
    await once(node.listen(0, '127.0.0.1'), 'listening');
    const rpc = [`http://127.0.0.1:${(node.address() as AddressInfo).port}`, 'http://127.0.0.1:9'];
    const NETWORKS = JSON.stringify({ local: { id: 'eip155:42', kind: 'ethereum', rpc } });
    const { status, json } = await run('doctor --chains --json', { NETWORKS, SMTP_URL: 'smtp://127.0.0.1:9' });
    node.close();
    expect([status, json.mail_server]).toEqual([1, 'The mail server of SMTP_URL does not answer.']);
    expect(json.nodes).toMatch(/^local 1: The node takes no JSON-RPC batches .* local 2: The node cannot be reached/);
  });

  it('the doctor reports a production database that may lose commits', async () => {
    const { status, json } = await run('doctor --json', {
      NODE_ENV: 'production',
      BASE_URL: 'https://auth.example.com',
    });
    expect(status).toBe(1);
    expect(json.durability).toMatch(/^fsync is off/);
  });

  it('the doctor names a missing master key and stores no check value of an unknown one', async () => {
    const { status, json } = await run('doctor --json', { MASTER_KEYS: OTHER_KEYS });
    expect(status).toBe(1);
    expect(json.master_keys).toContain('k1');
    expect(await service.nest.get(Database).write(`select key_id from master_keys`)).toEqual([{ key_id: 'k1' }]);
  });

  it('the doctor reports a database that does not answer', async () => {
    const { status, json } = await run('doctor --json', { DATABASE_URL: 'postgres://user:x@127.0.0.1:1/none' });
    expect([status, json.configuration]).toEqual([1, 'ok']);
    expect(json.database).toContain('ECONNREFUSED');
  });

  it('the doctor names every configuration fault without printing its value', async () => {
    const { status, err } = await run('doctor', { PORT: 'canary', MANAGEMENT_KEY: 'mk_canary' });
    expect(status).toBe(78);
    expect(err).toContain('PORT');
    expect(err).toContain('MANAGEMENT_KEY');
    expect(err).not.toContain('canary');
  });
});

describe('command line arguments', () => {
  it.each([
    ['', 64],
    ['nonsense', 64],
    ['constructor', 64],
    ['create-app', 64],
    ['create-app --name X --mode prod', 64],
    ['create-app --name X --colour red', 64],
    ['create-key --app user_1', 64],
    ['revoke-key --app app_1', 64],
    ['create-key --app app_00000000000000000000000000', 1],
  ])('"%s" exits with %i and prints the reason on standard error only', async (command, expected) => {
    const { status, out, err } = await run(command);
    expect([status, out]).toEqual([expected, '']);
    expect(err).not.toBe('');
  });

  it('with --json an error is printed as one object', async () => {
    const { json } = await run('create-key --app app_00000000000000000000000000 --json');
    expect(json).toEqual({ error: { type: 'app_not_found', message: expect.any(String) } });
  });

  it('--help lists all commands, and the options of one command', async () => {
    const all = await run('--help');
    expect([all.status, all.out.includes('rotate-signing-keys')]).toEqual([0, true]);
    const one = await run('create-key --help');
    expect([one.status, one.out.includes('--expires-at')]).toEqual([0, true]);
    const rewrap = await run('rewrap --help');
    expect(rewrap.out).toMatch(/--retire +\(/);
  });
});

import { createHash, generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../../../src/cli/run-command.js';
import { Database } from '../../../src/postgres/database.js';
import { recipientsIn } from '../../../src/services/crypto/escrow/key-escrow.js';
import { EscrowRefused, openKey, shareKey } from '../../../src/services/crypto/escrow/shares.js';
import { startApp, type TestApp } from '../../support/app.js';
import { createDatabase } from '../../support/database.js';
import { startVault, type VaultServer } from '../../support/vault-server.js';

const MASTER_KEYS = `test:${createHash('sha256').update('the master key of the tests').digest('base64')}`;
const HOLDERS = ['ann', 'bob', 'cat', 'dan'].map((name) => {
  const { publicKey, privateKey } = generateKeyPairSync('x25519');
  const public_key = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64');
  return { name, public_key, privateKey };
});
const RECIPIENTS = HOLDERS.slice(0, 3).map(({ name, public_key }) => ({ name, public_key }));

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'escrow-'));
  for (const { name, privateKey } of HOLDERS)
    writeFileSync(join(folder, `${name}.pem`), privateKey.export({ format: 'pem', type: 'pkcs8' }));
  writeFileSync(join(folder, 'recipients.json'), JSON.stringify({ threshold: 2, recipients: RECIPIENTS }));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('the key of an escrow', () => {
  const key = Buffer.from(Array.from({ length: 32 }, (_, i) => i * 7));
  const privateKeys = HOLDERS.map(({ privateKey }) => privateKey);

  it('is opened by every group that reaches the threshold, and by no smaller one', async () => {
    const shares = await shareKey(key, 3, HOLDERS);
    for (let group = 0; group < 16; group++) {
      const present = privateKeys.filter((_, i) => group & (1 << i));
      const opened = openKey(3, shares, present);
      if (present.length >= 3) expect(await opened).toEqual(key);
      else await expect(opened).rejects.toThrow(EscrowRefused);
      // Nor does a file open that names a lower threshold than its shares have.
      if (present.length === 2) expect(await openKey(2, shares, present)).not.toEqual(key);
    }
  });

  it('counts a private key that is given twice once, and takes no other one', async () => {
    const shares = await shareKey(key, 2, RECIPIENTS);
    await expect(openKey(2, shares, [privateKeys[0]!, privateKeys[0]!])).rejects.toThrow(EscrowRefused);
    const foreign = [privateKeys[0]!, privateKeys[1]!, privateKeys[3]!];
    await expect(openKey(2, shares, foreign)).rejects.toThrow(EscrowRefused);
  });

  it('does not open by a share that was exchanged', async () => {
    const [first, second, third] = await shareKey(key, 2, RECIPIENTS);
    const exchanged = [{ ...first!, share: second!.share }, second!, third!];
    await expect(openKey(2, exchanged, privateKeys.slice(0, 2))).rejects.toThrow(EscrowRefused);
  });
});

describe('the recipients of an escrow', () => {
  const [ann, bob] = RECIPIENTS;
  it.each([
    ['no JSON', '{'],
    ['null', 'null'],
    ['a threshold of one', { threshold: 1, recipients: RECIPIENTS }],
    ['a threshold above the number of recipients', { threshold: 4, recipients: RECIPIENTS }],
    ['a threshold that is no number', { threshold: '2', recipients: RECIPIENTS }],
    ['a name twice', { threshold: 2, recipients: [ann, { ...bob, name: 'ann' }] }],
    ['a public key twice', { threshold: 2, recipients: [ann, { ...ann, name: 'bob' }] }],
    ['a public key that is too short', { threshold: 2, recipients: [ann, { name: 'bob', public_key: 'AAAA' }] }],
    [
      'a point of small order',
      { threshold: 2, recipients: [ann, { name: 'bob', public_key: Buffer.alloc(32).toString('base64') }] },
    ],
    ['no recipients', { threshold: 2 }],
  ])('are refused with %s', async (_, given) => {
    await expect(recipientsIn(typeof given === 'string' ? given : JSON.stringify(given))).rejects.toThrow(
      EscrowRefused,
    );
  });
});

describe('the commands of an escrow', () => {
  let vault: VaultServer;
  let databaseUrl: string;
  let drop: () => Promise<void>;
  let service: TestApp;
  let app: { readonly id: string; readonly secretKey: string };
  let files = 0;
  const out = (): string => join(folder, `${files}.escrow`);
  beforeAll(async () => {
    vault = await startVault();
    ({ url: databaseUrl, drop } = await createDatabase());
    service = await startApp({ databaseUrl, env: { ...vault.env, MASTER_KEYS: '', ROLE: 'api' } });
    app = await service.given.app();
    await service.call('GET', `/v1/auth/jwks/${app.id}`);
  });
  afterAll(async () => {
    await service.stop();
    await vault.stop();
    await drop();
  });
  beforeEach(() => {
    vault.fault = null;
  });

  const run = async (command: string, env: Record<string, string> = vault.env) => {
    let text = '';
    const terminal = { out: (part: string) => void (text += part), err: () => undefined };
    const settings = { NODE_ENV: 'test', DATABASE_URL: databaseUrl, ...env };
    const status = await runCommand([...command.split(' '), '--json'], { env: settings, terminal });
    return { status, result: (text ? JSON.parse(text) : {}) as Record<string, string | number> };
  };
  const writeAs = (path: string) => run(`keys escrow --recipients ${folder}/recipients.json --out ${path}`);
  const write = () => {
    files++;
    return writeAs(out());
  };
  const drafts = (): string[] => readdirSync(folder).filter((name) => name.endsWith('.draft'));
  const restore = (holders: string, env?: Record<string, string>, file = out()) =>
    run(
      `keys escrow restore --file ${file} ${holders
        .split(' ')
        .map((name) => (name.startsWith('--') ? name : `--key ${folder}/${name}.pem`))
        .join(' ')}`,
      env,
    );
  const count = async (): Promise<number> =>
    (await service.nest.get(Database).write<{ n: number }>('select count(*)::int as n from wrapping_keys'))[0]!.n;

  it('write a file of mode 600 without a key in it, which each pair of recipients opens', async () => {
    expect((await run('doctor')).result['key_provider']).toContain('No escrow');
    const keys = await count();
    expect(keys).toBeGreaterThan(1);
    expect(await write()).toMatchObject({ status: 0, result: { keys, threshold: 2, recipients: 3 } });
    expect(statSync(out()).mode & 0o777).toBe(0o600);
    expect(drafts()).toEqual([]);
    const [head, ...lines] = readFileSync(out(), 'utf8').trim().split('\n');
    expect(JSON.parse(head!)).toMatchObject({ format: 'key-escrow', version: 1, threshold: 2, recipients: RECIPIENTS });
    expect(lines.join('')).not.toContain(app.id);
    for (const pair of ['ann bob', 'ann cat', 'cat bob', 'ann bob cat'])
      expect(await restore(pair)).toMatchObject({ status: 0, result: { matching: keys, missing: 0 } });
    const state = String((await run('doctor')).result['key_provider']);
    expect(state).toContain('opens with 2 of 3');
    expect(state).not.toContain('keys escrow');
    expect(String((await run('keys status')).result['escrow'])).toContain('opens with 2 of 3');
  });

  it('refuse fewer private keys than the threshold, and those of no recipient', async () => {
    await write();
    for (const holders of ['ann', 'ann ann', 'ann dan']) {
      const { status, result } = await restore(holders);
      expect([status, result['matching']]).toEqual([1, undefined]);
    }
  });

  it('name the apps that are newer than the file, and warn of them', async () => {
    await write();
    const keys = await count();
    const newer = await service.given.app();
    await service.call('GET', `/v1/auth/jwks/${newer.id}`);
    expect(await restore('ann bob')).toMatchObject({
      status: 0,
      result: {
        matching: keys,
        newer: 1,
        missing: 0,
        named: expect.stringMatching(`^${newer.id}/vault:1\\.[0-9a-f]{12}$`),
      },
    });
    expect((await run('doctor')).result['key_provider']).toContain('1 keys were made or restored since');
  });

  it('exit with 1 when a key differs from the database, or is missing though it is older than the file', async () => {
    await write();
    const database = service.nest.get(Database);
    const set = (sql: string) => database.write(`update wrapping_keys set ${sql} where app_id = $1`, [app.id]);
    await set(`check_value = decode(md5('other') || md5('other'), 'hex')`);
    expect(await restore('ann bob')).toMatchObject({
      status: 1,
      result: { missing: 1, gone: 1, named: expect.stringContaining(app.id) },
    });
    await set('generation = 7');
    expect(await restore('ann bob')).toMatchObject({
      status: 1,
      result: { missing: 1, gone: 1, named: expect.stringContaining(app.id) },
    });
    await database.write('delete from wrapping_keys where app_id = $1', [app.id]);
    await service.stop();
    service = await startApp({ databaseUrl, env: { ...vault.env, MASTER_KEYS: '', ROLE: 'api' } });
    app = await service.given.app();
    await service.call('GET', `/v1/auth/jwks/${app.id}`);
  });

  it('refuse a file that was altered, cut or put together', async () => {
    await write();
    const lines = readFileSync(out(), 'utf8').trim().split('\n');
    const [head, first, ...rest] = lines as [string, string, ...string[]];
    const flipped = first.startsWith('A') ? `B${first.slice(1)}` : `A${first.slice(1)}`;
    const altered: Record<string, string[]> = {
      altered: [head, flipped, ...rest],
      cut: lines.slice(0, -1),
      swapped: [head, first, first, ...rest],
      renamed: [head.replace('"ann"', '"eve"'), first, ...rest],
      shortened: [head, rest.at(-1)!],
    };
    const path = join(folder, 'altered.escrow');
    for (const [name, text] of Object.entries(altered)) {
      writeFileSync(path, `${text.join('\n')}\n`);
      expect([name, (await restore('cat bob', undefined, path)).status]).toEqual([name, 1]);
    }
  });

  it.each([403, 503] as const)('leave no file when the provider fails with %s', async (fault) => {
    vault.fault = fault;
    expect((await write()).status).toBe(1);
    expect(existsSync(out())).toBe(false);
    expect(drafts()).toEqual([]);
  });

  it('replace no file', async () => {
    await write();
    const before = readFileSync(out());
    expect(await writeAs(out())).toMatchObject({
      status: 1,
      result: { error: { message: expect.stringContaining('replaces no file') } },
    });
    expect(readFileSync(out())).toEqual(before);
    expect(drafts()).toEqual([]);
  });

  it('store a lost row again under its id, and leave each row that still opens', async () => {
    const database = service.nest.get(Database);
    const rows = () =>
      database.list<{ id: string; wrapped: string; isRestored: boolean }>(
        `select app_id || provider || generation || encode(check_value, 'hex') as id, encode(wrapped_key, 'hex') as wrapped,
                restored_at is not null as "isRestored" from wrapping_keys order by 1`,
      );
    await write();
    const before = await rows();
    await database.write('delete from wrapping_keys where app_id = $1', [app.id]);
    expect(await restore('ann bob')).toMatchObject({
      status: 1,
      result: { gone: 1, named: expect.stringContaining(app.id) },
    });
    expect(await restore('ann bob --write')).toMatchObject({
      status: 0,
      result: { gone: 1, restored: 1, wrapped: 0, failed: 0 },
    });
    const after = await rows();
    expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    const isLost = ({ id }: { id: string }): boolean => id.startsWith(app.id);
    expect(after.filter((row) => !isLost(row))).toEqual(before.filter((row) => !isLost(row)));
    expect(after.find(isLost)!.isRestored).toBe(true);
    const state = async () => String((await run('doctor')).result['key_provider']);
    expect(await state()).not.toContain('since');
    const former = out();
    await database.write('delete from wrapping_keys where app_id = $1', [app.id]);
    await write();
    expect((await restore('ann bob --write', undefined, former)).status).toBe(0);
    expect(await state()).toContain('1 keys were made or restored since');
    await write();
    expect(await state()).not.toContain('since');
    const again = await startApp({ databaseUrl, env: { ...vault.env, MASTER_KEYS: '', ROLE: 'api' } });
    expect((await again.call('GET', `/v1/auth/jwks/${app.id}`)).status).toBe(200);
    await again.stop();
  });

  it('have all keys but those that do not open, and exit with 1 unless these are retired', async () => {
    const database = service.nest.get(Database);
    const keys = await count();
    await database.write(
      `insert into wrapping_keys (app_id, generation, provider, wrapped_key, key_ref, check_value, retired_at)
       select app_id, 9, 'aws-kms', wrapped_key, 'former', check_value, now() from wrapping_keys where app_id = $1`,
      [app.id],
    );
    expect(await write()).toMatchObject({ status: 0, result: { keys, skipped: 1, unopened: 0 } });
    const complete = out();
    expect(await restore('ann bob')).toMatchObject({ status: 0, result: { matching: keys, skipped: 1, missing: 0 } });

    const alter = `wrapped_key = set_byte(wrapped_key, 20, get_byte(wrapped_key, 20) # 1)`;
    await database.write(`update wrapping_keys set ${alter} where app_id = $1 and provider = 'vault'`, [app.id]);
    const named = expect.stringContaining(`${app.id}/vault:`);
    expect(await write()).toMatchObject({ status: 1, result: { keys: keys - 1, skipped: 1, unopened: 1, named } });
    expect(await restore('ann bob')).toMatchObject({ status: 1, result: { matching: keys - 1, missing: 1, named } });
    await database.write(`update wrapping_keys set provider = 'aws-kms' where app_id = $1 and generation = 1`, [
      app.id,
    ]);
    expect((await write()).result).toMatchObject({ keys: keys - 1, unopened: 1 });
    expect(await restore('ann bob --write', undefined, complete)).toMatchObject({ status: 1, result: { failed: 1 } });

    await database.write(`update wrapping_keys set provider = 'vault' where app_id = $1 and generation = 1`, [app.id]);
    expect(await restore('ann bob --write', undefined, complete)).toMatchObject({
      status: 0,
      result: { matching: keys, wrapped: 1, failed: 0, skipped: 1 },
    });
    await database.write('delete from wrapping_keys where generation = 9');
    expect(await write()).toMatchObject({ status: 0, result: { keys, unopened: 0 } });
  });

  it('concern key providers only', async () => {
    for (const command of [
      `keys escrow --recipients ${folder}/recipients.json --out ${folder}/none`,
      `keys escrow restore --file ${out()} --key ${folder}/ann.pem`,
    ])
      expect(await run(command, { MASTER_KEYS })).toMatchObject({
        status: 64,
        result: { error: { message: expect.stringContaining('MASTER_KEYS') } },
      });
  });

  it('bring the wallets back when the key of the provider is lost', async () => {
    const { user_id } = await service.given.user(app as never);
    const call = (of: TestApp, path: string, body: object) => of.call('POST', path, { key: app.secretKey, body });
    const { body: wallet } = await call(service, '/v1/wallets/create', { user_id, wallet_type: 'ethereum' });
    const sign = (of: TestApp) => call(of, `/v1/wallets/${wallet.id}/sign_message`, { message: 'hello' });
    const { body: signed } = await sign(service);
    await write();
    const another = await startVault();
    const { result } = await restore('bob cat', another.env);
    expect(result['matching']).toBe(await count());
    const written = await run(
      `keys escrow restore --write --file ${out()} --key ${folder}/bob.pem --key ${folder}/cat.pem`,
      another.env,
    );
    expect(written).toMatchObject({ status: 0, result: { wrapped: await count() } });
    const restored = await startApp({ databaseUrl, env: { ...another.env, MASTER_KEYS: '', ROLE: 'api' } });
    expect(await sign(restored)).toMatchObject({ status: 200, body: signed });
    await restored.stop();
    await another.stop();
  });
});

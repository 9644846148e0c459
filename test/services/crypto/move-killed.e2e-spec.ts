import { spawn } from 'node:child_process';
import { createHash, hash } from 'node:crypto';
import { once } from 'node:events';
import { ownerOf, SealedColumns, Vault } from '../../../src/kernel/vault.js';
import { Database } from '../../../src/postgres/database.js';
import type { Rewrapping } from '../../../src/services/crypto/rewrapping.js';
import { startApp, type TestApp } from '../../support/app.js';
import { ensureBuilt } from '../../support/built.js';
import { createDatabase } from '../../support/database.js';
import type { GivenApp } from '../../support/given.js';
import { areAllCasesRun } from '../../support/sampled.js';
import { startVault, type VaultServer } from '../../support/vault-server.js';

/** MOVED_APPS=10000 moves as many apps as a production database may have. */
const APPS = Number(process.env['MOVED_APPS'] ?? (areAllCasesRun ? 10_000 : 120));
const KILLS = 3;
const AT_ONCE = 20;
const MASTER_KEYS = `test:${createHash('sha256').update('the master key of the tests').digest('base64')}`;

let vault: VaultServer;
beforeAll(async () => {
  await ensureBuilt();
  vault = await startVault();
});
afterAll(() => vault.stop());

interface Signer {
  readonly app: GivenApp;
  readonly wallet: string;
}
async function signer({ given, call }: TestApp): Promise<Signer> {
  const app = await given.app();
  const { user_id } = await given.user(app);
  const { body } = await call('GET', `/v1/wallets/list?user_id=${user_id}`, { key: app.secretKey });
  return { app, wallet: body.wallets[0].id };
}
const statusOfSignature = async (service: TestApp, { app, wallet }: Signer): Promise<number> => {
  const body = { message: 'hello' };
  return (await service.call('POST', `/v1/wallets/${wallet}/sign_message`, { key: app.secretKey, body })).status;
};

/** A hash of each sealed value of the database once it is opened, by its place. */
async function openedValues({ nest }: TestApp): Promise<Map<string, string>> {
  const values = new Map<string, string>();
  for (const { table, column, key, context } of (nest.get(SealedColumns) as unknown as Rewrapping).columns) {
    const rows = await nest
      .get(Database)
      .list<Record<string, unknown> & { sealed: Buffer }>(
        `select *, ${column} as sealed from ${table} where ${column} is not null`,
      );
    for (const row of rows) {
      await nest.get(Vault).ready(ownerOf(context(row)), row.sealed);
      const opened = nest.get(Vault).open(row.sealed, context(row));
      values.set([table, column, ...key.map((name) => row[name])].join(' '), hash('sha256', opened));
    }
  }
  return values;
}

/** The number of wallets whose key is sealed under a key with this beginning. */
async function sealedBy(service: TestApp, key: string): Promise<number> {
  const [row] = await service.nest
    .get(Database)
    .list<{ values: number }>(
      `select count(*)::int as values from wallets where position($1 in convert_from(substring(sealed_key from 3 for get_byte(sealed_key, 1)), 'UTF8')) = 1`,
      [key],
    );
  return row!.values;
}

describe('keys move', () => {
  it('that is killed three times under load loses no value of any app, and ends when it is repeated', async () => {
    const { url: databaseUrl, drop } = await createDatabase();
    const before = await startApp({ databaseUrl, env: { ROLE: 'api' } });
    const signers: Signer[] = [];
    while (signers.length < APPS)
      signers.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => signer(before)))));
    const values = await openedValues(before);
    await before.stop();
    const service = await startApp({ databaseUrl, env: { ...vault.env, ROLE: 'api' } });
    expect(await sealedBy(service, 'test')).toBe(APPS);

    let isOver = false;
    const statuses = new Map<number, number>();
    const load = async (): Promise<void> => {
      while (!isOver) {
        const status = await statusOfSignature(service, signers[Math.floor(Math.random() * APPS)]!);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    const loads = [load(), load()];

    const env = { ...process.env, NODE_ENV: 'test', DATABASE_URL: databaseUrl, MASTER_KEYS, ...vault.env };
    const move = (...options: string[]) =>
      spawn(process.execPath, ['dist/src/cli.js', 'keys', 'move', '--to', 'vault', ...options], {
        env,
        stdio: 'ignore',
      });
    const began = performance.now();
    const moved: number[] = [0];
    // Otherwise a move may end before the test on a busy machine has seen its progress.
    vault.encryptMs = 100;
    for (let kill = 1; kill <= KILLS; kill++) {
      const child = move();
      const ended = once(child, 'exit');
      const wanted = moved.at(-1)! + APPS / (KILLS + 1) / 2;
      while (child.exitCode === null && (await sealedBy(service, 'vault:')) < wanted);
      child.kill('SIGKILL');
      await ended;
      expect(child.signalCode).toBe('SIGKILL');
      moved.push(await sealedBy(service, 'vault:'));
      expect((await sealedBy(service, 'test')) + moved.at(-1)!).toBe(APPS);
    }
    expect(moved.at(-1)).toBeLessThan(APPS);
    vault.encryptMs = 0;
    const [status] = (await once(move('--retire'), 'exit')) as [number];
    expect(status).toBe(0);
    const seconds = (performance.now() - began) / 1_000;
    isOver = true;
    await Promise.all(loads);
    expect([...statuses.keys()]).toEqual([200]);
    expect(await sealedBy(service, 'vault:')).toBe(APPS);
    await service.stop();

    const without = await startApp({ databaseUrl, env: { ...vault.env, MASTER_KEYS: '', ROLE: 'api' } });
    expect(await openedValues(without)).toEqual(values);
    for (const each of signers.slice(0, 100)) expect(await statusOfSignature(without, each)).toBe(200);
    await without.stop();
    await drop();
    console.info(
      `${APPS} apps: ${values.size} values in ${seconds.toFixed(1)} s beside ${statuses.get(200)} signatures`,
    );
  }, 3_600_000);
});

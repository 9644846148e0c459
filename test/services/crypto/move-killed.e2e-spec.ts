import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Database } from '../../../src/postgres/database.js';
import { startApp, type TestApp } from '../../support/app.js';
import { createDatabase } from '../../support/database.js';
import { startVault, type VaultServer } from '../../support/vault-server.js';

/** MOVED_WALLETS=20000 moves as many values as a production database may have. */
const WALLETS = Number(process.env['MOVED_WALLETS'] ?? 300);
const KILLS = 3;
const MASTER_KEYS = `test:${createHash('sha256').update('the master key of the tests').digest('base64')}`;

let vault: VaultServer;
beforeAll(async () => {
  vault = await startVault();
});
afterAll(() => vault.stop());

const sealedBy = async (service: TestApp, provider: string): Promise<number> => {
  const [row] = await service.nest
    .get(Database)
    .list<{ values: number }>(
      `select count(*)::int as values from wallets where position($1 in convert_from(substring(sealed_key from 3 for get_byte(sealed_key, 1)), 'UTF8')) = 1`,
      [provider],
    );
  return row!.values;
};

describe('keys move', () => {
  it('that is killed three times loses no value, and ends when it is repeated', async () => {
    const { url: databaseUrl, drop } = await createDatabase();
    const before = await startApp({ databaseUrl, env: { ROLE: 'api' } });
    const app = await before.given.app();
    const wallets = new Map<string, string>();
    for (let i = 0; i < WALLETS; i += 20)
      await Promise.all(
        Array.from({ length: 20 }, async () => {
          const { user_id } = await before.given.user(app);
          const body = { user_id, wallet_type: 'ethereum' };
          const { body: wallet } = await before.call('POST', '/v1/wallets/create', { key: app.secretKey, body });
          wallets.set(wallet.id, wallet.public_address);
        }),
      );
    await before.stop();
    const service = await startApp({ databaseUrl, env: { ...vault.env, ROLE: 'api' } });
    const total = await sealedBy(service, 'test');
    expect(total).toBe(WALLETS);

    const env = { ...process.env, NODE_ENV: 'test', DATABASE_URL: databaseUrl, MASTER_KEYS, ...vault.env };
    const move = () =>
      spawn(process.execPath, ['dist/src/cli.js', 'keys', 'move', '--to', 'vault'], { env, stdio: 'ignore' });
    const moved: number[] = [0];
    for (let kill = 1; kill <= KILLS; kill++) {
      const child = move();
      const ended = once(child, 'exit');
      const wanted = moved.at(-1)! + WALLETS / (KILLS + 1) / 2;
      while (child.exitCode === null && (await sealedBy(service, 'vault:')) < wanted);
      child.kill('SIGKILL');
      await ended;
      expect(child.signalCode).toBe('SIGKILL');
      moved.push(await sealedBy(service, 'vault:'));
      expect((await sealedBy(service, 'test')) + moved.at(-1)!).toBe(WALLETS);
    }
    expect(moved.at(-1)).toBeLessThan(WALLETS);
    const [status] = (await once(move(), 'exit')) as [number];
    expect(status).toBe(0);
    expect(await sealedBy(service, 'vault:')).toBe(WALLETS);
    for (const id of [...wallets.keys()].slice(0, 100)) {
      const body = { message: 'hello' };
      const signed = await service.call('POST', `/v1/wallets/${id}/sign_message`, { key: app.secretKey, body });
      expect(signed.status).toBe(200);
    }
    await service.stop();
    await drop();
  });
});

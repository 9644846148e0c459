import { createHash } from 'node:crypto';
import { verifyMessage } from 'ethers';
import { Rewrapping } from '../../../src/services/crypto/rewrapping.js';
import { Database } from '../../../src/postgres/database.js';
import { startApp } from '../../support/app.js';
import { createDatabase } from '../../support/database.js';

const key = (id: string): string => `${id}:${createHash('sha256').update(`rewrapping ${id}`).digest('base64')}`;

const start = (databaseUrl: string, MASTER_KEYS: string) =>
  startApp({ databaseUrl, env: { ROLE: 'api', MASTER_KEYS } });

/** How many values each key seals, in every bytea column of the database that is not known to hold something else, registered or not. */
async function sealsInDatabase(database: Database): Promise<Record<string, number>> {
  const columns = await database.write<{ table: string; column: string }>(
    `select table_name as "table", column_name as "column" from information_schema.columns
      where table_schema = 'public' and data_type = 'bytea' and column_name !~ 'hash|check_value|commitment|salt|signature|mac$|digest$|^previous$'`,
  );
  const seals: Record<string, number> = {};
  for (const { table, column } of columns) {
    const rows = await database.write<{ id: string }>(
      `select convert_from(substring(${column} from 3 for get_byte(${column}, 1)), 'UTF8') as id from ${table} where ${column} is not null`,
    );
    for (const { id } of rows) seals[id] = (seals[id] ?? 0) + 1;
  }
  return seals;
}

/** A value that was altered in the database may be of any form. */
const ALTERED = [
  Buffer.alloc(0),
  Buffer.alloc(1),
  Buffer.alloc(60),
  Buffer.alloc(60, 255),
  Buffer.from([1, 5, 0, 0, 0, 0, 0]),
  Buffer.from([2, 200, 1, 2]),
  Buffer.concat([Buffer.from([1, 3]), Buffer.from('old'), Buffer.from([0, 9])]),
];

describe('a new master key', () => {
  it('replaces the previous key in every sealed value while the service runs, and only then retires that key', async () => {
    const { url, drop } = await createDatabase();
    const before = await start(url, key('old'));
    const acme = await before.given.app();
    const { user_id } = await before.given.user(acme);
    await before.given.connection(acme, { provider: 'google', client_id: 'c', client_secret: 's' });
    await before.call('POST', '/v1/auth/users/create', {
      key: acme.secretKey,
      body: { email: 'k@example.com' },
      headers: { 'idempotency-key': 'k' },
    });
    const [wallet] = (await before.call('GET', `/v1/wallets/list?user_id=${user_id}`, { key: acme.secretKey })).body
      .wallets;
    expect(Object.keys(await sealsInDatabase(before.nest.get(Database)))).toEqual(['old']);
    await before.stop();

    const between = await start(url, `${key('new')},${key('old')}`);
    const rewrapping = between.nest.get(Rewrapping);
    expect(await rewrapping.retireUnused()).toEqual([]);
    await Promise.all([rewrapping.rewrapAll(), rewrapping.rewrapAll()]);
    expect(Object.keys(await sealsInDatabase(between.nest.get(Database)))).toEqual(['new']);
    expect(await rewrapping.rewrapAll()).toEqual({ rewrapped: 0, broken: 0 });
    expect(await rewrapping.retireUnused()).toEqual(['old']);
    await between.stop();

    const after = await start(url, key('new'));
    const { body } = await after.call('POST', `/v1/wallets/${wallet.id}/sign_message`, {
      key: acme.secretKey,
      body: { message: 'x' },
    });
    expect(verifyMessage('x', body.signature)).toBe(wallet.public_address);
    await after.stop();
    await drop();
  });

  it('re-wraps the other values when some of any form do not open, and counts and logs these', async () => {
    const { url, drop } = await createDatabase();
    const before = await start(url, key('old'));
    const acme = await before.given.app();
    for (let i = 0; i < 3 + ALTERED.length; i++) await before.given.user(acme);
    await before.stop();

    const lines: string[] = [];
    const after = await startApp({
      databaseUrl: url,
      env: { ROLE: 'api', MASTER_KEYS: `${key('new')},${key('old')}`, LOG_LEVEL: 'error', LOG_FORMAT: 'json' },
      log: { write: (line: string) => void lines.push(line) },
    });
    const database = after.nest.get(Database);
    const [altered] = await database.write<{ id: string }>(
      `update wallets set public_address = 'elsewhere' where id = (select min(id) from wallets) returning id`,
    );
    const { old } = await sealsInDatabase(database);
    const malformed = await database.write<{ id: string }>(`select id from wallets order by id offset 1 limit $1`, [
      ALTERED.length,
    ]);
    for (const [i, { id }] of malformed.entries())
      await database.write(`update wallets set sealed_key = $2 where id = $1`, [id, ALTERED[i]]);
    const broken = 1 + ALTERED.length;
    expect(await after.nest.get(Rewrapping).rewrapAll()).toMatchObject({ rewrapped: old! - broken, broken });
    for (const { id } of [altered!, ...malformed])
      expect(lines.join('')).toMatch(
        new RegExp(`"table":"wallets","column":"sealed_key","row_key":{[^}]*"id":"${id}"`),
      );
    expect(await after.nest.get(Rewrapping).retireUnused()).toEqual([]);
    await database.write(`update wallets set sealed_key = null, is_read_only = true where id = any ($1)`, [
      malformed.map(({ id }) => id),
    ]);
    const left = await database.write<{ id: string }>(
      `select id from wallets where convert_from(substring(sealed_key from 3 for get_byte(sealed_key, 1)), 'UTF8') = 'old'`,
    );
    expect(left).toEqual([altered]);
    expect((await after.call('GET', '/metrics')).text).toContain(`seal_failures_total{kind="wallet-key"} ${broken}\n`);
    await after.stop();
    await drop();
  });

  it('leaves a value unchanged that is found but has its key and its context already', async () => {
    const { url, drop } = await createDatabase();
    const service = await start(url, key('new'));
    const { secretKey } = await service.given.app();
    const headers = { 'idempotency-key': 'k' };
    await service.call('POST', '/v1/auth/users/create', { key: secretKey, body: { email: 'k@example.com' }, headers });
    const [database, rewrapping] = [service.nest.get(Database), service.nest.get(Rewrapping)];
    const before = await sealsInDatabase(database);
    // Registered as if their context had gained parts, the values are looked for.
    const extended = rewrapping.columns.map((column) => ({ ...column, isExtended: true }));
    for (const column of extended) rewrapping.register(column);
    await rewrapping.rewrapAll();
    expect(await sealsInDatabase(database)).toEqual(before);
    await service.stop();
    await drop();
  });

  it('may not replace a key that values are still sealed under', async () => {
    const { url, drop } = await createDatabase();
    const before = await start(url, key('old'));
    await before.stop();
    await expect(start(url, key('new'))).rejects.toThrow(/"old" is missing/);
    await drop();
  });
});

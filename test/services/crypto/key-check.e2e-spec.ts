import { randomBytes } from 'node:crypto';
import { Pool } from 'pg';
import { retireMasterKeys, verifyKeyring } from '../../../src/services/crypto/key-check.js';
import { Keyring, KeyringRefused } from '../../../src/services/crypto/keyring.js';
import { createDatabase, type TestDatabase } from '../../support/database.js';

const key = () => randomBytes(32).toString('base64');
const keyring = (keys: Record<string, string>) =>
  Keyring.parse(
    Object.entries(keys)
      .map(([id, value]) => `${id}:${value}`)
      .join(','),
  );

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createDatabase();
  pool = new Pool({ connectionString: database.url, max: 30 });
  // `end` does not wait for the server, which ends the last connections when the database is dropped.
  pool.on('error', () => undefined);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});
beforeEach(() => pool.query('delete from master_keys'));

const query = async <R extends object>(sql: string, parameters?: readonly unknown[]): Promise<R[]> =>
  (await pool.query<R>(sql, parameters as unknown[])).rows;
const start = (keys: Record<string, string>) => verifyKeyring(query, keyring(keys));
const known = async () =>
  (await query<{ key_id: string }>('select key_id from master_keys order by key_id')).map((row) => row.key_id);

describe('starting with master keys', () => {
  const [k1, k2] = [key(), key()];

  it('stores new keys, and later accepts them in any order', async () => {
    await start({ k1 });
    await start({ k2, k1 });
    await start({ k1, k2 });
    expect(await known()).toEqual(['k1', 'k2']);
  });

  it('is refused when an id stands for another key than before, and names only the id', async () => {
    await start({ k1 });
    const other = key();
    const refusal: unknown = await start({ k1: other, k2 }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(KeyringRefused);
    expect((refusal as KeyringRefused).faults).toEqual([
      'Master key "k1" is not the key that this database knows by that id.',
    ]);
    expect((refusal as KeyringRefused).message).not.toContain(other);
  });

  it('is refused when a key still in use is missing', async () => {
    await start({ k1 });
    await expect(start({ k2 })).rejects.toThrow('Master key "k1" is missing, and values are still sealed under it.');
  });

  it('changes nothing when it is refused, so that the right keys still start', async () => {
    await start({ k1 });
    await expect(start({ k2 })).rejects.toThrow(KeyringRefused);
    await start({ k1 });
    expect(await known()).toEqual(['k1']);
  });

  it('stores nothing that could replace the key', async () => {
    await start({ k1 });
    const [row] = await query<{ check_value: Buffer }>('select check_value from master_keys');
    expect(row!.check_value).toHaveLength(32);
    expect(row!.check_value.equals(Buffer.from(k1, 'base64'))).toBe(false);
  });

  it('succeeds for all of many processes at once with the same key', async () => {
    await Promise.all(Array.from({ length: 25 }, () => start({ k1 })));
    expect(await known()).toEqual(['k1']);
  });

  it('succeeds for exactly one of many processes at once with different keys under one id', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 25 }, () => start({ k1: key() })));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(KeyringRefused);
    }
  });
});

describe('retiring master keys', () => {
  const [k1, k2, k3] = [key(), key(), key()];

  beforeEach(async () => {
    await start({ k1 });
    await start({ k2, k1 });
    await start({ k3, k2, k1 });
  });

  it('retires a key under which nothing is sealed', async () => {
    expect(await retireMasterKeys(query, keyring({ k3, k2, k1 }), ['k2', 'k3'])).toEqual(['k1']);
    await start({ k3, k2 });
    await expect(start({ k3 })).rejects.toThrow('Master key "k2" is missing');
  });

  it('does not retire the current key before the first seal under it', async () => {
    await retireMasterKeys(query, keyring({ k3, k2, k1 }), []);
    await expect(start({ k2, k1 })).rejects.toThrow('Master key "k3" is missing');
  });

  it('is undone when the key becomes current again', async () => {
    await retireMasterKeys(query, keyring({ k3, k2, k1 }), ['k3']);
    await start({ k1, k3 });
    await expect(start({ k3 })).rejects.toThrow('Master key "k1" is missing');
  });

  it('still refuses a wrong key under the id of a retired key', async () => {
    await retireMasterKeys(query, keyring({ k3, k2, k1 }), ['k3']);
    await expect(start({ k3, k1: key() })).rejects.toThrow('Master key "k1" is not the key');
  });
});

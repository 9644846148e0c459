import { createHmac, randomBytes } from 'node:crypto';
import { Pool } from 'pg';
import { EnvelopeVault } from '../../../src/services/crypto/envelope-vault.js';
import { verifyKeyring } from '../../../src/services/crypto/key-check.js';
import { Keyring } from '../../../src/services/crypto/keyring.js';
import { KeyringKeyWrapper } from '../../../src/services/crypto/keyring-key-wrapper.js';
import { openServiceSecret, ServiceSecretRefused } from '../../../src/services/crypto/service-secret.js';
import { createDatabase, type TestDatabase } from '../../support/database.js';

const masterKey = (): string => `k1:${randomBytes(32).toString('base64')}`;

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createDatabase();
  pool = new Pool({ connectionString: database.url, max: 20 });
  // `end` does not wait for the server, which ends the last connections when the database is dropped.
  pool.on('error', () => undefined);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});
beforeEach(() => pool.query('delete from master_keys; delete from service_secrets'));

/** Opens the secret as a start of the service does, and returns an HMAC under the key of a purpose. */
async function start(masterKeys: string, purpose = 'token hash'): Promise<string> {
  const client = await pool.connect();
  const query = async <R extends object>(sql: string, parameters?: readonly unknown[]): Promise<R[]> =>
    (await client.query<R>(sql, parameters as unknown[])).rows;
  try {
    await client.query('begin');
    const keyring = Keyring.parse(masterKeys);
    const vault = new EnvelopeVault(new KeyringKeyWrapper(keyring));
    const keys = await openServiceSecret(query, vault, await verifyKeyring(query, keyring));
    await client.query('commit');
    return createHmac('sha256', keys.derive(purpose)).update('x').digest('hex');
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}

describe('the secret of the service', () => {
  const keys = masterKey();

  it('is made once by many simultaneous first starts, and is the same at the next start', async () => {
    const made = new Set(await Promise.all(Array.from({ length: 20 }, () => start(keys))));
    expect(made.size).toBe(1);
    expect(made).toContain(await start(keys));
  });

  it('gives another key for another purpose', async () => {
    expect(await start(keys, 'audit chain')).not.toBe(await start(keys, 'token hash'));
  });

  it('is not in its row as plaintext, and another master key of the same id opens nothing', async () => {
    await start(keys);
    await expect(start(masterKey())).rejects.toThrow('is not the key that this database knows');
    await pool.query('delete from master_keys');
    await expect(start(masterKey())).rejects.toThrow(ServiceSecretRefused);
  });

  it('is not made again when its row is gone: the start is refused', async () => {
    await start(keys);
    await pool.query('delete from service_secrets');
    await expect(start(keys)).rejects.toThrow(
      'service_secrets is missing, and hashes in this database were made by it',
    );
    expect((await pool.query('select from service_secrets')).rowCount).toBe(0);
  });

  it('does not get by SQL the form in which absent MACs of rows are accepted', async () => {
    await start(keys);
    await pool.query(`update service_secrets set id = 'service'`);
    await expect(start(keys)).rejects.toThrow('does not open');
  });
});

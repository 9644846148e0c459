import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { Transactions } from '../../src/kernel/transactions.js';
import { OpenTransaction } from '../../src/postgres/current-transaction.js';
import { Database } from '../../src/postgres/database.js';
import { durabilityFaults } from '../../src/postgres/durability.js';
import { configureSession, USUAL_BOUNDS } from '../../src/postgres/session-settings.js';
import { EmbeddedPostgres } from '../../src/dev/embedded-postgres.js';
import { SeparateConnections } from '../../src/postgres/separate-connections.js';
import { BEGIN, statement } from '../../src/postgres/statement.js';
import { eventually } from '../support/eventually.js';
import { Money } from '../support/money.js';
import { startApp, type TestApp } from '../support/app.js';
import { roundTripsOf } from '../support/statements.js';

const LEVEL = `select current_setting('synchronous_commit') as level`;

describe('with synchronous_commit=off as the server’s default', () => {
  let app: TestApp;
  // The test server is such a server.
  beforeAll(async () => {
    app = await startApp({ env: { ROLE: 'api' } });
  });
  afterAll(() => app.stop());

  async function connected(options?: string): Promise<Client> {
    const client = new Client({ connectionString: app.databaseUrl, options });
    await client.connect();
    return client;
  }

  async function levelIn(client: Client, signs: boolean): Promise<string> {
    const transaction = new OpenTransaction(client, app.nest.get(DataSource), signs);
    const { rows } = await transaction.query(statement(LEVEL));
    await transaction.commit();
    return (rows[0] as { level: string }).level;
  }

  it('every connection of the service commits durably', async () => {
    const database = app.nest.get(Database);
    const separate = app.nest.get(SeparateConnections);
    const levels = await app.nest.get(Transactions).run(async () => [
      await database.write(LEVEL).then((rows) => rows[0] ?? null),
      // On a connection of its own.
      (await separate.query(LEVEL, []))[0],
      ...((await database.manager.query(LEVEL)) as object[]),
    ]);
    expect([...levels, await database.write(LEVEL).then((rows) => rows[0] ?? null)]).toEqual(
      Array(4).fill({ level: 'on' }),
    );
  });

  it('a transaction that signs commits durably on any connection, with no round trip more', async () => {
    const client = await connected();
    try {
      expect([await levelIn(client, false), await levelIn(client, true)]).toEqual(['off', 'on']);
      const trips = await roundTripsOf(() => levelIn(client, true));
      expect(trips.map((trip) => trip.length)).toEqual([3, 1]);
      expect((await client.query(LEVEL)).rows).toEqual([{ level: 'off' }]);
    } finally {
      await client.end();
    }
  });

  it('remote_apply, which is stricter, stays', async () => {
    const client = await connected('-c synchronous_commit=remote_apply');
    try {
      await configureSession(client, USUAL_BOUNDS, false);
      expect([await levelIn(client, false), await levelIn(client, true)]).toEqual(['remote_apply', 'remote_apply']);
    } finally {
      await client.end();
    }
  });

  it('a transaction that signs is not part of another', async () => {
    const transactions = app.nest.get(Transactions);
    await expect(transactions.run(() => transactions.run(async () => 'signed', { signs: true }))).rejects.toThrow(
      'must not be part of another',
    );
  });

  it('signed bytes are not stored in a transaction that does not sign', async () => {
    const transactions = app.nest.get(Transactions);
    const store = async () => app.nest.get(Database).write('select 1 as stored', [], { storesSigned: true });
    await expect(store()).rejects.toThrow('only in a transaction that signs');
    await expect(transactions.run(store)).rejects.toThrow('only in a transaction that signs');
    expect(await transactions.run(store, { signs: true })).toEqual([{ stored: 1 }]);
  });

  it('each weak setting is named with what it may cost', async () => {
    const client = await connected();
    const query = async <R>(sql: string): Promise<R[]> => (await client.query(sql)).rows as R[];
    try {
      expect(await durabilityFaults(query)).toEqual([
        expect.stringContaining('fsync is off'),
        expect.stringContaining('full_page_writes is off'),
        expect.stringContaining('synchronous_commit is off'),
      ]);
    } finally {
      await client.end();
    }
  });
});

describe('a crash of PostgreSQL with synchronous_commit=off', () => {
  let dataDir: string;
  let postgres: EmbeddedPostgres;
  let money: Money;
  let operator: Client;
  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'durability-'));
    // Without fsync the operating system still has what was written, and it does not crash here. The background writer
    // would write the log besides.
    const settings = { fsync: 'off', synchronous_commit: 'off', bgwriter_lru_maxpages: 0 };
    postgres = await EmbeddedPostgres.start({ dataDir, settings });
    money = await Money.start({
      databaseUrl: postgres.url,
      ethereum: { blockTime: 'never' },
      env: { TRANSFER_CONFIRM_WAIT_SECONDS: '0', ROLE: 'api' },
    });
  });
  afterAll(async () => {
    await money?.stop();
    await postgres?.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  /** The server crashes directly after `work`, before its log writer has written anything. */
  async function crashedAfter<T>(work: () => Promise<T>): Promise<T> {
    operator = new Client({ connectionString: postgres.url });
    operator.on('error', () => undefined);
    await operator.connect();
    await operator.query('checkpoint');
    const { rows } = await operator.query<{ pid: number }>(
      `select pid from pg_stat_activity where backend_type = 'walwriter'`,
    );
    const { pid } = rows[0]!;
    process.kill(pid, 'SIGSTOP');
    let done: T;
    try {
      done = await work();
    } finally {
      // PostgreSQL takes the death of one of its processes for a crash: all end at once and it recovers from its log.
      process.kill(pid, 'SIGKILL');
    }
    await new Promise((resolve) => operator.once('end', resolve));
    // PostgreSQL accepts a connection again when all processes from before have ended, which may be later than that of the operator.
    await eventually(async () => {
      const client = new Client({ connectionString: postgres.url });
      await client.connect();
      await client.end();
    });
    await eventually(async () => expect((await money.app.call('GET', '/readyz')).status).toBe(200));
    return done;
  }

  it('loses no signature of a confirmed transfer', async () => {
    const payer = await money.payer('ethereum');
    const { id } = await money.created(payer);
    const { status, body } = await crashedAfter(() => money.confirm(payer, id));
    expect([status, body.status]).toEqual([200, 'pending']);
    const after = await money.get(payer, id);
    expect(after.status).toBe('pending');
    expect(after.attempts.map(({ hash }: { hash: string }) => hash)).toEqual([body.attempts[0].hash]);
  });

  it('a cancellation is stored as durably as a signature, behind a pooler too', async () => {
    const payer = await money.payer('ethereum');
    const { id } = await money.created(payer);
    const trips = await roundTripsOf(() =>
      money.app.call('POST', `/v1/transfers/${id}/cancel`, { key: payer.app.secretKey }),
    );
    const texts = trips.flat().map(({ text }) => text);
    expect(texts[texts.indexOf(BEGIN.text) + 1]).toContain(`set_config('synchronous_commit'`);
  });

  it('loses no key of a wallet whose address was shown', async () => {
    const app = await money.app.given.app();
    const listed = async (userId: string) => {
      const query = { user_id: userId };
      return (await money.app.call('GET', '/v1/wallets/list', { key: app.secretKey, query })).body.wallets;
    };
    const shown = await crashedAfter(async () => {
      const { user_id: userId } = await money.app.given.user(app, { wallet_type: 'ethereum' });
      return { userId, wallets: await listed(userId) };
    });
    expect(shown.wallets).toHaveLength(1);
    expect(await listed(shown.userId)).toEqual(shown.wallets);
  });
});

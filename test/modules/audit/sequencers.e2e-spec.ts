import { Transactions } from '../../../src/kernel/transactions.js';
import { AuditChain } from '../../../src/modules/audit/domain/audit-heads.js';
import { SignHeads } from '../../../src/modules/audit/application/sign-heads.js';
import { runIn } from '../../../src/postgres/current-transaction.js';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually, untilAvailable } from '../../support/eventually.js';
import { Chains } from './chains.js';

let service: TestApp;
let chains: Chains;
beforeAll(async () => {
  service = await startApp({ env: { ROLE: 'api' } });
  chains = new Chains(service);
});
afterAll(() => service.stop());

const insertEntries = (appId: string, count: number) =>
  chains.sql(
    `insert into audit_log (app_id, id, actor, action, target_id, fields, created_at)
     select $1, 'audit_' || lpad(n::text, 26, '0'), 'cli', 'app.updated', $1, '{name}', now() from generate_series(1, $2::int) n`,
    [appId, count],
  );

describe('two sequencers', () => {
  it('extend the same chains at the same time, and every chain is dense and valid', async () => {
    const apps = await Promise.all(Array.from({ length: 8 }, () => service.given.app()));
    for (const { id } of apps) await insertEntries(id, 300);
    const workers = await Promise.all(
      Array.from({ length: 2 }, () => startApp({ env: { ROLE: 'worker' }, databaseUrl: service.databaseUrl })),
    );
    try {
      for (let i = 0; i < 10; i++) await Promise.all(apps.map(({ id }) => chains.rename(id, `Name ${i}`)));
      await eventually(async () => expect((await chains.verify(null)).unchained).toBe(0));
    } finally {
      for (const worker of workers) await worker.stop();
    }
    for (const { id } of apps) expect(await chains.verify(id)).toMatchObject({ broken: 0, entries: 311 });
  });

  it('sign a state of a chain once', async () => {
    const app = await chains.appWithChain();
    const signers = Array.from({ length: 3 }, () => chains.restarted(SignHeads));
    expect(await Promise.all(signers.map((signer) => chains.refusedBy(signer)))).toEqual([[], [], []]);
    expect(await chains.verify(app)).toMatchObject({ broken: 0, checkpoints: 2 });
  });
});

describe('a sequencer', () => {
  it('that is killed before its commit leaves the chain as it was, and another one goes on', async () => {
    const app = await chains.appWithChain();
    await chains.rename(app, 'Not chained yet');
    const killed = chains.get(Transactions).run(async () => {
      await chains.get(AuditChain).advance('');
      const [{ pid }] = (await chains.sql<{ pid: number }>('select pg_backend_pid() as pid')) as [{ pid: number }];
      await runIn(undefined, () => chains.sql('select pg_terminate_backend($1)', [pid]));
      await chains.sql('select 1');
    });
    await expect(killed).rejects.toThrow();
    expect(await chains.verify(app)).toMatchObject({ broken: 0, entries: 5, unchained: 1 });
    // The chain stays locked until PostgreSQL has rolled back, which is after it has closed the connection.
    await eventually(async () => {
      await chains.chain();
      expect(await chains.verify(app)).toMatchObject({ broken: 0, entries: 6, unchained: 0 });
    });
  });

  it('leaves the chain that another one extends, and chains entries of other apps', async () => {
    const [held, free] = [await chains.appWithChain(), await chains.appWithChain()];
    for (const app of [held, free]) await chains.rename(app, 'Waits');
    await chains.get(Transactions).run(async () => {
      await chains.sql('select from audit_chains where app_id = $1 for update', [held]);
      await runIn(undefined, () => chains.chain());
      expect(await runIn(undefined, () => chains.verify(held))).toMatchObject({ unchained: 1 });
      expect(await runIn(undefined, () => chains.verify(free))).toMatchObject({ unchained: 0 });
    });
    await chains.chain();
    expect(await chains.verify(held)).toMatchObject({ broken: 0, unchained: 0, entries: 6 });
  });

  it('goes on with other chains while one is damaged, in whichever way', async () => {
    const damages = [
      'last_number = last_number - 1',
      `last_hash = ''`,
      'last_number = 9223372036854775807',
      `last_number = -5, last_hash = '\\x00'`,
    ];
    for (const damage of damages) {
      const apps = await Promise.all(Array.from({ length: 3 }, () => chains.appWithChain()));
      const [first, damaged, last] = apps.toSorted() as [string, string, string];
      await chains.sql(`update audit_chains set ${damage} where app_id = $1`, [damaged]);
      for (const app of apps) await chains.rename(app, 'Waits');
      for (let i = 0; i < 3; i++) await untilAvailable(() => chains.get(AuditChain).advance(''));
      for (const app of [first, last]) expect(await chains.verify(app)).toMatchObject({ broken: 0, unchained: 0 });
      expect((await chains.verify(damaged)).broken).toBeGreaterThan(0);
      await chains.sql(`delete from audit_log where app_id = $1`, [damaged]);
      await chains.sql(`delete from audit_chains where app_id = $1`, [damaged]);
    }
  });

  it('chains the entries of the previous release once, in the order of their ids', async () => {
    const { id } = await service.given.app();
    await insertEntries(id, 2_500);
    await chains.chain();
    const rows = await chains.sql<{ id: string; number: number }>(
      'select id, number::int as number from audit_log where app_id = $1 order by number',
      [id],
    );
    expect(rows.map(({ number }) => number)).toEqual(rows.map((_, index) => index + 1));
    expect(rows.map((row) => row.id)).toEqual(rows.map((row) => row.id).toSorted());
    expect(await chains.verify(id)).toMatchObject({ broken: 0, entries: 2_501, erased: 0 });
  });

  it('chains what a deleted app leaves behind', async () => {
    const app = await chains.appWithChain();
    await service.call('DELETE', `/management/v1/apps/${app}`, { key: service.managementKey });
    await chains.sign();
    expect(await chains.verify(app)).toMatchObject({ broken: 0, entries: 6, checkpoints: 2 });
    expect(await chains.fault('')).toBeUndefined();
  });
});

describe('the metrics', () => {
  it('show how many entries wait and the age of the last checkpoint', async () => {
    const app = await chains.appWithChain();
    await chains.rename(app, 'Waits');
    const text = await service.metrics();
    expect(text).toMatch(/^audit_entries_unchained [1-9]\d*$/m);
    expect(text).toMatch(/^audit_refused_signatures_total \d+$/m);
    expect(text).toMatch(/^audit_checkpoint_age_seconds \d+(\.\d+)?$/m);
  });
});

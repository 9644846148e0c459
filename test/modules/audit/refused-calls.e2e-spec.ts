import { type AppId, newId } from '../../../src/kernel/ids.js';
import type { RefusedRequest } from '../../../src/edge/auth/refused-requests.js';
import { RefusedRequests } from '../../../src/edge/auth/refused-requests.js';
import { type Call, startApp, type TestApp } from '../../support/app.js';
import type { GivenApp } from '../../support/given.js';
import { AuditHeads } from '../../../src/modules/audit/domain/audit-heads.js';
import { SignHeads } from '../../../src/modules/audit/application/sign-heads.js';
import { Chains } from './chains.js';

let service: TestApp;
let chains: Chains;
let app: GivenApp;
beforeAll(async () => {
  service = await startApp({ env: { ROLE: 'api', TRUST_PROXY: '1' } });
  chains = new Chains(service);
  app = await service.given.app();
});
afterAll(() => service.stop());

let network = 0;
/** An address that no other test has used. */
const newAddress = (): string => `198.51.${100 + Math.floor(++network / 250)}.${network % 250}`;

interface Entry {
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly outcome: string;
  readonly error_type: string;
  readonly calls: number;
  readonly request_id: string;
  readonly ip: string;
}

async function entries(appId: string | null, ip: string, query: Record<string, string> = {}): Promise<Entry[]> {
  await chains.flush();
  const path = appId === null ? '/management/v1/audit_log' : `/management/v1/apps/${appId}/audit_log`;
  const { status, body } = await service.call('GET', path, { key: service.managementKey, query });
  expect(status).toBe(200);
  return (body.entries as Entry[]).filter((entry) => entry.ip === ip);
}

const callFrom = (ip: string, method: string, path: string, call: Call = {}) =>
  service.call(method, path, { ...call, headers: { 'x-forwarded-for': ip, 'x-request-id': 'req-1', ...call.headers } });

describe('a refused call', () => {
  it('without a valid key is an entry of no app, also where its path names one', async () => {
    const ip = newAddress();
    await callFrom(ip, 'POST', `/management/v1/apps/${app.id}/keys`, { key: 'mk_unknown', body: { kind: 'secret' } });
    expect(await entries(app.id, ip)).toEqual([]);
    expect(await entries(null, ip)).toEqual([
      expect.objectContaining({
        actor: 'unknown',
        action: 'call.refused',
        target: 'POST /management/v1/apps/:app_id/keys',
        outcome: 'refused',
        error_type: 'unauthorized_credentials',
        calls: 1,
        request_id: 'req-1',
      }),
    ]);
  });

  it('that names an app that does not exist is an entry of no app', async () => {
    const ip = newAddress();
    const unknown = newId('app');
    await callFrom(ip, 'GET', `/management/v1/apps/${unknown}`, { key: 'mk_unknown' });
    expect(await entries(null, ip)).toMatchObject([{ target: 'GET /management/v1/apps/:app_id', actor: 'unknown' }]);
    expect(await chains.sql(`select from audit_log where app_id = $1`, [unknown])).toEqual([]);
  });

  it('with a valid key of another kind names the key and its app', async () => {
    const ip = newAddress();
    await callFrom(ip, 'GET', '/management/v1/apps', { key: app.secretKey });
    const [entry] = await entries(app.id, ip);
    expect(entry).toMatchObject({ error_type: 'wrong_key_kind', target: 'GET /management/v1/apps' });
    expect(entry!.actor).toMatch(/^key_/);
  });

  it('with an unknown secret key is an entry of no app', async () => {
    const ip = newAddress();
    await callFrom(ip, 'POST', '/v1/auth/users/create', { key: 'sk_test_unknown', body: {} });
    expect(await entries(null, ip)).toMatchObject([
      { actor: 'unknown', error_type: 'unauthorized_credentials', target: 'POST /v1/auth/users/create' },
    ]);
  });

  it.each(['session_token', 'session_jwt'])(
    'with a valid key and a %s that is not valid names the key',
    async (field) => {
      const ip = newAddress();
      const call = { key: app.secretKey, body: { [field]: 'canary-session' } };
      await callFrom(ip, 'POST', '/v1/auth/sessions/verify', call);
      const found = await entries(app.id, ip);
      expect(found).toEqual([
        expect.objectContaining({
          actor: expect.stringMatching(/^key_/),
          target: 'POST /v1/auth/sessions/verify',
          outcome: 'refused',
          error_type: 'invalid_session',
          calls: 1,
        }),
      ]);
      expect(JSON.stringify(found)).not.toContain('canary');
    },
  );

  it('is in the chain, and valid after its address was erased', async () => {
    const ip = newAddress();
    await callFrom(ip, 'GET', `/management/v1/apps/${app.id}`, { key: app.secretKey });
    await chains.flush();
    await chains.chain();
    const before = await chains.verify(app.id);
    expect(before).toMatchObject({ broken: 0, unchained: 0 });
    await chains.sql(`delete from audit_personal_data where ip = $1`, [ip]);
    expect(await chains.verify(app.id)).toMatchObject({ broken: 0, erased: before.erased + 1 });
  });

  it('is found by each filter', async () => {
    const ip = newAddress();
    await callFrom(ip, 'GET', `/management/v1/apps/${app.id}`, { key: app.secretKey });
    const [{ actor }] = (await entries(app.id, ip)) as [Entry];
    const count = async (query: Record<string, string>) => (await entries(app.id, ip, query)).length;
    const now = Math.floor(Date.now() / 1000);
    expect(await count({ actor, action: 'call.refused', outcome: 'refused' })).toBe(1);
    expect(await count({ since: String(now - 60), until: String(now + 60) })).toBe(1);
    const others: Record<string, string>[] = [
      { actor: 'cli' },
      { action: 'app.created' },
      { outcome: 'ok' },
      { since: String(now + 60) },
      { until: String(now - 60) },
    ];
    for (const query of others) expect([query, await count(query)]).toEqual([query, 0]);
    const path = `/management/v1/apps/${app.id}/audit_log`;
    const wrong = await service.call('GET', path, { key: service.managementKey, query: { outcome: 'failed' } });
    expect([wrong.status, wrong.body.errors[0].field]).toEqual([400, 'outcome']);
  });
});

describe('many refused calls', () => {
  const sumOf = (found: readonly Entry[]): number => found.reduce((sum, { calls }) => sum + calls, 0);

  it('with a key from one network in a minute are 101 entries with the right count', async () => {
    const ip = newAddress();
    for (let i = 0; i < 20; i++) {
      await Promise.all(
        Array.from({ length: 50 }, () => callFrom(ip, 'GET', '/management/v1/apps', { key: app.secretKey })),
      );
      // Also across several batches.
      if (i % 5 === 0) await chains.flush();
    }
    expect(await entries(app.id, ip)).toHaveLength(100);
    await chains.endMinutes();
    const found = await entries(app.id, ip);
    expect([found.length, sumOf(found)]).toEqual([101, 1_000]);
    expect(found[0]).toMatchObject({ calls: 900, target: '', request_id: '', error_type: 'wrong_key_kind' });
    await chains.endMinutes();
    expect(await entries(app.id, ip)).toHaveLength(101);
  });

  it('of one network on two replicas share the bound', async () => {
    const replica = await startApp({
      env: { ROLE: 'api', TRUST_PROXY: '1' },
      databaseUrl: service.databaseUrl,
    });
    try {
      const ip = newAddress();
      const others = new Chains(replica);
      const call = { key: app.secretKey, headers: { 'x-forwarded-for': ip } };
      for (let i = 0; i < 90; i++) {
        await service.call('GET', '/management/v1/apps', call);
        await replica.call('GET', '/management/v1/apps', call);
      }
      await Promise.all([chains.flush(), others.flush()]);
      await chains.endMinutes();
      const found = await entries(app.id, ip);
      expect([found.length, sumOf(found)]).toEqual([101, 180]);
    } finally {
      await replica.stop();
    }
  });

  it('without a key have 100 entries in a minute from all networks, on all paths, and all are counted', async () => {
    await chains.endMinutes();
    const rowsBefore = await ofNoKey();
    for (let i = 0; i < 150; i++) {
      const path = i % 2 ? `/management/v1/apps/${newId('app')}/keys` : `/management/v1/apps/${app.id}`;
      await callFrom(newAddress(), 'GET', path, { key: 'mk_wrong' });
    }
    await chains.flush();
    const refused = chains.get(RefusedRequests);
    const call: Omit<RefusedRequest, 'network' | 'ip'> = {
      status: 401,
      appId: null,
      appOfKey: null,
      keyId: null,
      errorType: 'unauthorized_credentials',
      method: 'GET',
      route: '/v1/flood',
      requestId: 'flood',
    };
    for (let batch = 0; batch < 4; batch++) {
      for (let i = 0; i < 5_000; i++) refused.note({ ...call, ip: '203.0.113.1', network: `network ${batch} ${i}` });
      await chains.flush();
    }
    await chains.endMinutes();
    const rows = await ofNoKey();
    expect([rows.entries - rowsBefore.entries, rows.calls - rowsBefore.calls]).toEqual([100, 20_150]);
  });

  it('of an app from ever new networks have 500 entries in a minute, and none is left out of the count', async () => {
    const flooded = await service.given.app();
    const [own, others] = [chains.get(RefusedRequests), await service.given.app()];
    const call = {
      status: 403,
      appOfKey: null,
      keyId: 'key_flood',
      errorType: 'wrong_key_kind',
      method: 'GET',
      route: '/v1/flood',
      requestId: 'flood',
    };
    for (let batch = 0; batch < 8; batch++) {
      for (let i = 0; i < 300; i++)
        own.note({ ...call, appId: flooded.id as AppId, ip: '203.0.113.1', network: `network ${batch} ${i}` });
      await chains.flush();
    }
    own.note({ ...call, appId: others.id as AppId, ip: '203.0.113.1', network: 'network' });
    await chains.flush();
    const rowsOf = (appId: string) =>
      chains.sql<{ entries: number; calls: number }>(
        `select count(*)::int as entries, sum(calls)::int as calls from audit_log where app_id = $1 and outcome = 'refused'`,
        [appId],
      );
    expect((await rowsOf(flooded.id))[0]!.entries).toBe(500);
    expect(await rowsOf(others.id)).toEqual([{ entries: 1, calls: 1 }]);
    const [{ classes }] = (await chains.sql<{ classes: number }>(
      `select count(*)::int as classes from refusals where app_id = $1`,
      [flooded.id],
    )) as [{ classes: number }];
    expect(classes).toBeLessThanOrEqual(601);
    await chains.endMinutes();
    const [ended] = await rowsOf(flooded.id);
    expect(ended!.calls).toBe(2_400);
    expect(ended!.entries).toBeLessThanOrEqual(602);
  });

  it('wait in memory while the database refuses them, and are written later', async () => {
    const ip = newAddress();
    await chains.flush();
    await chains.sql(`alter table refusals rename to refusals_away`);
    for (let i = 0; i < 120; i++) await callFrom(ip, 'GET', '/management/v1/apps', { key: app.secretKey });
    await chains.flush();
    await chains.sql(`alter table refusals_away rename to refusals`);
    await chains.flush();
    await chains.endMinutes();
    const found = await entries(app.id, ip);
    expect([found.length, sumOf(found)]).toEqual([101, 120]);
  });

  it('are written when the service stops', async () => {
    const replica = await startApp({ env: { ROLE: 'api', TRUST_PROXY: '1' }, databaseUrl: service.databaseUrl });
    const ip = newAddress();
    await replica.call('GET', '/management/v1/apps', { key: 'mk_wrong', headers: { 'x-forwarded-for': ip } });
    await replica.stop();
    expect(await entries(null, ip)).toHaveLength(1);
  });

  async function ofNoKey(): Promise<{ entries: number; calls: number }> {
    const [row] = await chains.sql<{ entries: number; calls: number }>(
      `select count(*)::int as entries, coalesce(sum(calls), 0)::int as calls from audit_log
        where app_id = '' and actor = 'unknown' and outcome = 'refused'`,
    );
    return row!;
  }
});

describe('entries of refused calls', () => {
  it('end after AUDIT_REFUSALS_DAYS by signed cuts, and the chain is verified across them', async () => {
    await chains.sign();
    const { id } = await service.given.app();
    const refuse = async (count: number): Promise<void> => {
      await chains.sql(
        `insert into audit_log (app_id, id, actor, action, target_id, fields, created_at, outcome, error_type)
         select $1, 'audit_' || translate(clock_timestamp()::text || n, ' :+.-', ''), 'key_a', 'call.refused', '', '{}', now(), 'refused', 'x'
           from generate_series(1, $2::int) n`,
        [id, count],
      );
      await chains.chain();
    };
    await refuse(3);
    await chains.rename(id, 'Between');
    await chains.chain();
    await refuse(7_000);
    await chains.rename(id, 'Last');
    await chains.sign();
    const exported = async () =>
      chains.sql<{ n: number }>(`select count(*)::int as n from audit_log where app_id = $1`, [id]);
    const before = await chains.verify(id);
    expect(before).toMatchObject({ broken: 0, cut: 0 });
    // Nothing is removed before its time.
    expect(await chains.refusedBy(chains.restarted(SignHeads))).toEqual([]);
    expect((await exported())[0]!.n).toBe(before.entries);
    const later = jest.spyOn(chains.clock(), 'now').mockReturnValue(new Date(Date.now() + 401 * 86_400_000));
    const signer = chains.restarted(SignHeads);
    expect(await chains.refusedBy(signer)).toEqual([]);
    later.mockRestore();
    const after = await chains.verify(id);
    expect(after).toMatchObject({ broken: 0, cut: 7_003, entries: before.entries - 7_003 });
    const cuts = await chains.sql<{ first: number; last: number }>(
      `select first::int as first, last::int as last from audit_cuts where app_id = $1 order by last`,
      [id],
    );
    expect(cuts).toEqual([
      { first: 2, last: 4 },
      { first: 6, last: 7_005 },
    ]);
    for (const [change, number] of [
      [`update audit_cuts set last = last - 1 where first = 6`, 6],
      [`update audit_cuts set hash = sha256('x') where first = 6`, 6],
      [`delete from audit_cuts where first = 2`, 2],
    ] as const) {
      const putBack = await chains.copy();
      await chains.sql(`${change} and app_id = '${id}'`);
      expect(await chains.fault(id)).toMatchObject({ number });
      await putBack();
    }
  });

  it('before a cut become one with it, where a clock that was set back let them end later', async () => {
    const { id } = await service.given.app();
    const heads = service.nest.get(AuditHeads, { strict: false });
    const cut = { last: 9, hash: Buffer.alloc(32), at: new Date(), keyId: 'key', signature: Buffer.alloc(64) };
    for (const first of [5, 2]) await heads.storeCut(id, { ...cut, first });
    expect(await chains.sql('select first::int, last::int from audit_cuts where app_id = $1', [id])).toEqual([
      { first: 2, last: 9 },
    ]);
  });
});

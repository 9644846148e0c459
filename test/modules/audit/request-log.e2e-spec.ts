import { RefusedRequests, type RefusedRequest } from '../../../src/edge/auth/refused-requests.js';
import type { AppId } from '../../../src/kernel/ids.js';
import { MANAGEMENT_KEY, startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import type { GivenApp } from '../../support/given.js';

let service: TestApp;
let replica: TestApp;
let app: GivenApp;
let other: GivenApp;
beforeAll(async () => {
  service = await startApp();
  replica = await startApp({ databaseUrl: service.databaseUrl });
});
afterAll(async () => {
  await replica?.stop();
  await service?.stop();
});
beforeEach(async () => {
  [app, other] = [await service.given.app(), await service.given.app()];
});

interface Row {
  readonly id: string;
  readonly key_id: string;
  readonly operation: string;
  readonly error_type: string;
  readonly calls: number;
  readonly last_request_id: string;
}
const listed = async (query: Record<string, string> = {}, of = app) =>
  (await service.call('GET', `/management/v1/apps/${of.id}/refused_calls`, { key: MANAGEMENT_KEY, query })).body as {
    refused_calls: Row[];
    has_more: boolean;
  };
const summary = (rows: readonly Row[]) =>
  rows.map(({ operation, error_type: type, calls }) => `${calls} ${operation} ${type}`).toSorted();

describe('the refused calls of an app', () => {
  it('are counted by key, operation and error type, on every replica, and never by the URL', async () => {
    const user = 'user_00000000000000000000000000';
    for (const each of [service, replica]) {
      expect((await each.call('GET', `/v1/auth/users/${user}`, { key: app.secretKey })).status).toBe(404);
      expect(
        (await each.call('POST', '/v1/auth/users/create', { key: app.secretKey, body: { email: 1 } })).status,
      ).toBe(400);
    }
    await service.call('GET', `/management/v1/apps/${app.id}`, { key: app.secretKey });
    const totals = async () => (await listed()).refused_calls.reduce((sum, { calls }) => sum + calls, 0);
    await eventually(async () => expect(await totals()).toBe(5));
    const { headers } = await service.call('GET', `/v1/auth/users/${user}`, { key: app.secretKey });
    await eventually(async () =>
      expect(summary((await listed()).refused_calls)).toEqual([
        '1 GET /management/v1/apps/:app_id wrong_key_kind',
        '2 POST /v1/auth/users/create invalid_request',
        '3 GET /v1/auth/users/:user_id user_not_found',
      ]),
    );
    const { refused_calls: rows } = await listed();
    expect(JSON.stringify(rows)).not.toContain(user);
    expect(rows.map(({ last_request_id: id }) => id)).toContain(headers.get('x-request-id'));
    expect((await listed({}, other)).refused_calls).toEqual([]);
    const [key] = new Set(rows.map((row) => row.key_id));
    expect((await listed({ key_id: key! })).refused_calls).toEqual(rows);
    expect((await listed({ key_id: 'key_00000000000000000000000000' })).refused_calls).toEqual([]);
  });

  it('are listed page by page, newest first', async () => {
    for (const path of ['/v1/auth/users/user_x', '/v1/wallets/wallet_x', '/v1/transfers/transfer_x'])
      await service.call('GET', path, { key: app.secretKey });
    await eventually(async () => expect((await listed()).refused_calls).toHaveLength(3));
    const all = await listed();
    const first = await listed({ limit: '2' });
    expect(first).toEqual({ refused_calls: all.refused_calls.slice(0, 2), has_more: true });
    const second = await listed({ limit: '2', starting_after: first.refused_calls[1]!.id });
    expect(second).toEqual({ refused_calls: all.refused_calls.slice(2), has_more: false });
    const ids = all.refused_calls.map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted().toReversed());
  });

  it('need a valid key: a call without one is of no app', async () => {
    await service.call('GET', '/v1/auth/users/user_x', { key: `sk_${'0'.repeat(48)}` });
    await service.call('GET', `/management/v1/apps/${app.id}`, { key: 'mk_wrong' });
    await service.call('GET', '/v1/auth/users/user_x', { key: app.secretKey });
    await eventually(async () =>
      expect(summary((await listed()).refused_calls)).toEqual(['1 GET /v1/auth/users/:user_id user_not_found']),
    );
  });

  it('are bounded: a flood neither grows the memory nor the table', async () => {
    const call: RefusedRequest = {
      status: 404,
      appId: app.id as AppId,
      appOfKey: app.id as AppId,
      keyId: 'key_flood',
      errorType: 'user_not_found',
      method: 'GET',
      route: '/v1/flood',
      requestId: 'flood',
      ip: null,
      network: '203.0.113.0',
    };
    const refused = service.nest.get(RefusedRequests);
    for (let i = 0; i < 100_000; i++) refused.note(call);
    await eventually(async () =>
      expect(summary((await listed()).refused_calls)).toEqual(['10000 GET /v1/flood user_not_found']),
    );
  });
});

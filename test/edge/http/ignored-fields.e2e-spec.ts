import { startApp, type TestApp } from '../../support/app.js';
import { type GivenApp, unique } from '../../support/given.js';

let app: TestApp;
let test: GivenApp;
let live: GivenApp;
beforeAll(async () => {
  app = await startApp();
  test = await app.given.app();
  live = await app.given.app({ mode: 'live' });
});
afterAll(() => app.stop());

const ignoredIn = async (method: string, path: string, call: Parameters<TestApp['call']>[2]) => {
  const { status, headers } = await app.call(method, path, call);
  return [status, headers.get('x-ignored-fields')];
};
const newUser = () => ({ email: `${unique()}@example.com`, fist_name: 'Ann' });

describe('a request with a field that the operation does not take', () => {
  it('is carried out in an app in test mode, and the response names the field', async () => {
    expect(await ignoredIn('POST', '/v1/auth/users/create', { key: test.secretKey, body: newUser() })).toEqual([
      200,
      'fist_name',
    ]);
    const filter = { field: 'user_id', operator: 'eq', value: 'user_x', oprator: 'eq' };
    const search = { filters: { fields: [filter] }, limt: 10 };
    const { headers } = await app.call('POST', '/v1/auth/users/search', { key: test.secretKey, body: search });
    expect(headers.get('x-ignored-fields')).toBe('filters.fields[0].oprator, limt');
  });

  it('names the field beside the error of a refused request', async () => {
    const body = { emial: 'ann@example.com' };
    expect(await ignoredIn('POST', '/v1/auth/users/create', { key: test.secretKey, body })).toEqual([400, 'emial']);
  });

  it('names the field in the body of the error too if a required one is missing', async () => {
    const missing = await app.call('POST', '/v1/auth/users/create', { key: test.secretKey, body: { emial: 'x' } });
    expect(missing.body.errors).toEqual([
      expect.objectContaining({ field: 'email', rule: 'at_least_one_of' }),
      { field: 'emial', rule: 'unknown', message: 'is not a known field' },
    ]);
    expect(missing.body.detail).toMatch(/^email is one of .*; emial is not a known field\.$/);
    const filter = { feild: 'email', operator: 'eq', value: 'x' };
    const inner = await app.call('POST', '/v1/auth/users/search', {
      key: test.secretKey,
      body: { filters: { fields: [filter] } },
    });
    expect(inner.body.detail).toBe(
      'filters.fields[0].field is required; filters.fields[0].feild is not a known field.',
    );
  });

  it('names it neither in live mode, nor beside another fault', async () => {
    const call = (key: string, body: object) => app.call('POST', '/v1/auth/users/create', { key, body });
    expect((await call(live.secretKey, { emial: 'x' })).body.errors).toHaveLength(1);
    expect((await call(test.secretKey, { ...newUser(), first_name: 1 })).body.errors).toEqual([
      expect.objectContaining({ field: 'first_name', rule: 'type' }),
    ]);
  });

  it('names a parameter of the query', async () => {
    const { user_id } = await app.given.user(test);
    const query = { user_id, limt: '3' };
    expect(await ignoredIn('GET', '/v1/auth/sessions/list', { key: test.secretKey, query })).toEqual([200, 'limt']);
    const begin = { public_token: test.publicToken, redirct: 'true' };
    const { headers } = await app.call('GET', '/v1/auth/oauth/google/begin', { query: begin });
    expect(headers.get('x-ignored-fields')).toBe('redirct');
  });

  it('has no such header with a key of an app in live mode or a management key', async () => {
    expect(await ignoredIn('POST', '/v1/auth/users/create', { key: live.secretKey, body: newUser() })).toEqual([
      200,
      null,
    ]);
    const body = { name: 'Acme', mode: 'test', nmae: 'Acme' };
    expect(await ignoredIn('POST', '/management/v1/apps', { key: app.managementKey, body })).toEqual([200, null]);
  });
});

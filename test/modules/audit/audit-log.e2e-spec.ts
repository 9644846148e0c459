import { newId } from '../../../src/kernel/ids.js';
import { ManagementKeys } from '../../../src/modules/apps/index.js';
import { type Answer, type Call, MANAGEMENT_KEY, startApp, type TestApp } from '../../support/app.js';

const CANARY = 'canary-9b1d-secret';

let service: TestApp;
beforeAll(async () => {
  service = await startApp();
});
afterAll(() => service.stop());

const manage = (method: string, path: string, call: Call = {}) =>
  service.call(method, `/management/v1${path}`, { key: MANAGEMENT_KEY, ...call });

describe('the audit log', () => {
  it('lists every write with its key, request, object and fields', async () => {
    const created = await manage('POST', '/apps', {
      body: { name: 'Acme' },
      headers: { 'x-request-id': 'req-create' },
    });
    const { id, secret_key } = created.body;
    const base = `/apps/${id}`;
    const key = (await manage('POST', `${base}/keys`, { body: { kind: 'secret' } })).body;
    await manage('PATCH', base, { body: { default_wallet_type: 'none', limits: { lock_minutes: 3 } } });
    const url = (await manage('POST', `${base}/redirect_urls`, { body: { url: 'https://a.example', kind: 'login' } }))
      .body;
    const connection = { provider: 'google', client_id: 'c', client_secret: CANARY };
    const connected = (await manage('POST', `${base}/oauth_connections`, { body: connection })).body;
    await service.call('PUT', `/v1/auth/oauth_connections/${connected.id}/update`, {
      key: secret_key,
      body: { client_secret: `${CANARY}-2` },
    });
    await manage('DELETE', `${base}/oauth_connections/${connected.id}`);
    await manage('DELETE', `${base}/redirect_urls/${url.id}`);
    await manage('DELETE', `${base}/keys/${key.id}`);
    await manage('DELETE', base);

    const { body, text } = await manage('GET', `${base}/audit_log`);
    const entries = body.entries.toReversed();
    expect(entries.map(({ action, target_id }: Record<string, string>) => [action, target_id])).toEqual([
      ['app.created', id],
      ['key.created', key.id],
      ['app.updated', id],
      ['redirect_url.created', url.id],
      ['oauth_connection.created', connected.id],
      ['oauth_connection.updated', connected.id],
      ['oauth_connection.deleted', connected.id],
      ['redirect_url.deleted', url.id],
      ['key.revoked', key.id],
      ['app.deleted', id],
    ]);
    expect(entries[0]).toEqual({
      id: expect.stringMatching(/^audit_/),
      at: expect.any(Number),
      actor: expect.stringMatching(/^key_/),
      actor_name: 'MANAGEMENT_KEY',
      action: 'app.created',
      target: id,
      target_id: id,
      fields: [],
      outcome: 'ok',
      error_type: '',
      calls: 1,
      request_id: 'req-create',
      ip: '127.0.0.1',
      ip_erased: false,
      created_at: entries[0].at,
    });
    expect(entries[2].fields).toEqual(['default_wallet_type', 'limits']);
    expect(entries[5].fields).toEqual(['client_secret']);
    // The app's own key, not the operator's, changed the connection.
    expect(entries[5].actor).not.toBe(entries[0].actor);
    expect(text).not.toContain(CANARY);
    expect(text).not.toContain(secret_key);
  });

  it('of no app lists what was done to management keys', async () => {
    const by = { actor: 'cli', requestId: null, ip: null };
    const options = { name: 'Console', role: 'owner', expiresAt: null } as const;
    const { id } = await service.nest.get(ManagementKeys).create(by, options);
    await service.nest.get(ManagementKeys).revoke(by, id);
    const { body } = await manage('GET', '/audit_log', { query: { outcome: 'ok', limit: '2' } });
    expect(
      body.entries.map(({ actor, action, target, ip }: Record<string, string>) => [actor, action, target, ip]),
    ).toEqual([
      ['cli', 'management_key.revoked', id, ''],
      ['cli', 'management_key.created', id, ''],
    ]);
  });

  it('does not list requests that were invalid', async () => {
    const app = await service.given.app();
    await manage('PATCH', `/apps/${app.id}`, { body: { allowed_origins: ['nonsense'] } });
    await manage('POST', `/apps/${app.id}/redirect_urls`, { body: { url: 'https://a@b.example', kind: 'login' } });
    await manage('DELETE', `/apps/${app.id}/keys/${newId('key')}`);
    const { entries } = (await manage('GET', `/apps/${app.id}/audit_log`)).body;
    expect(entries).toHaveLength(1);
  });

  it('is paged and shows no other app', async () => {
    const app = await service.given.app();
    const other = await service.given.app();
    for (const name of ['A', 'B', 'C']) await manage('PATCH', `/apps/${app.id}`, { body: { name } });
    const first = (await manage('GET', `/apps/${app.id}/audit_log`, { query: { limit: '3' } })).body;
    expect([first.entries.length, first.has_more]).toEqual([3, true]);
    const query = { limit: '3', starting_after: first.entries[2].id };
    const rest = (await manage('GET', `/apps/${app.id}/audit_log`, { query })).body;
    expect([rest.entries.map(({ action }: { action: string }) => action), rest.has_more]).toEqual([
      ['app.created'],
      false,
    ]);
    expect((await manage('GET', `/apps/${other.id}/audit_log`)).body.entries).toHaveLength(1);
    expect((await manage('GET', `/apps/${newId('app')}/audit_log`)).body.error_type).toBe('app_not_found');
  });
});

describe('every id of another app', () => {
  it('answers as one that never was, and nothing of it changes', async () => {
    const mine = await service.given.app();
    const theirs = await service.given.app();
    const key = (await manage('POST', `/apps/${theirs.id}/keys`, { body: { kind: 'secret' } })).body;
    const url = await service.given.redirectUrl(theirs, 'login', 'https://a.example/');
    const connection = await service.given.connection(theirs, {
      provider: 'google',
      client_id: 'c',
      client_secret: 's',
    });
    const connections = `/apps/${mine.id}/oauth_connections`;
    const attempts: [string, (id: string) => Promise<Answer>, string, string][] = [
      ['key', (id) => manage('DELETE', `/apps/${mine.id}/keys/${id}`), key.id, newId('key')],
      ['redirect URL', (id) => manage('DELETE', `/apps/${mine.id}/redirect_urls/${id}`), url.id, newId('redirectUrl')],
      ['GET', (id) => manage('GET', `${connections}/${id}`), connection.id, newId('oauthConnection')],
      ['PATCH', (id) => manage('PATCH', `${connections}/${id}`, { body: {} }), connection.id, newId('oauthConnection')],
      ['DELETE', (id) => manage('DELETE', `${connections}/${id}`), connection.id, newId('oauthConnection')],
    ];
    for (const [what, attempt, known, unknown] of attempts) {
      const headers = { instance: 'same', request_id: 'same' };
      const [foreign, nobodys] = [await attempt(known), await attempt(unknown)];
      expect([what, foreign.status]).toEqual([what, 404]);
      expect({ ...foreign.body, ...headers }).toEqual({ ...nobodys.body, ...headers });
    }
    const after = await manage('GET', `/apps/${theirs.id}/audit_log`);
    expect(after.body.entries).toHaveLength(4);
  });

  it('and every id of another kind is a 404 of the resource asked for', async () => {
    const { id } = await service.given.app();
    const wrong = newId('user');
    for (const [method, path, type] of [
      ['GET', `/apps/${wrong}`, 'app_not_found'],
      ['GET', '/apps/..%2Fapps', 'app_not_found'],
      ['GET', `/apps/${id.toUpperCase()}`, 'app_not_found'],
      ['GET', `/apps/${wrong}/keys`, 'app_not_found'],
      ['POST', `/apps/${newId('app')}/keys`, 'app_not_found'],
      ['POST', `/apps/${newId('app')}/redirect_urls`, 'app_not_found'],
      ['POST', `/apps/${newId('app')}/oauth_connections`, 'app_not_found'],
      ['DELETE', `/apps/${id}/keys/${wrong}`, 'key_not_found'],
      ['DELETE', `/apps/${id}/redirect_urls/${wrong}`, 'redirect_url_not_found'],
      ['GET', `/apps/${id}/oauth_connections/${wrong}`, 'oauth_connection_not_found'],
    ] as const) {
      const body = {
        kind: path.endsWith('keys') ? 'secret' : 'login',
        url: 'https://a.example',
        provider: 'google',
        client_id: 'c',
        client_secret: 's',
      };
      const answer = await manage(method, path, method === 'POST' ? { body } : {});
      expect([method, path, answer.status, answer.body.error_type]).toEqual([method, path, 404, type]);
    }
  });
});

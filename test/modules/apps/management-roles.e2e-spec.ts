import { randomUUID } from 'node:crypto';
import { MANAGEMENT_ROLES, type ManagementRole } from '../../../src/kernel/management-role.js';
import { ManagementKeys } from '../../../src/modules/apps/index.js';
import { Database } from '../../../src/postgres/database.js';
import { startApp, type TestApp } from '../../support/app.js';
import { forgetSettings } from '../../support/background.js';
import type { GivenApp } from '../../support/given.js';

let service: TestApp;
let app: GivenApp;
let keys: Record<ManagementRole, string>;
beforeAll(async () => {
  service = await startApp();
  app = await service.given.app();
  const made = await Promise.all(
    MANAGEMENT_ROLES.map(async (role) => [role, (await keyWith(role)).key] as [ManagementRole, string]),
  );
  keys = Object.fromEntries(made) as Record<ManagementRole, string>;
});
afterAll(() => service.stop());

const keyWith = (role: ManagementRole, expiresAt: Date | null = null) =>
  service.nest.get(ManagementKeys).create({ actor: 'cli', requestId: null, ip: null }, { name: role, role, expiresAt });
const call = (method: string, path: string, key: string, body?: unknown, headers?: Record<string, string>) =>
  service.call(method, `/management/v1${path}`, {
    key,
    ...(body !== undefined && { body }),
    ...(headers && { headers }),
  });
const appNow = async () => (await call('GET', `/apps/${app.id}`, service.managementKey)).body;

describe('the role of a management key', () => {
  it.each(MANAGEMENT_ROLES)('%s may read', async (role) => {
    expect((await call('GET', `/apps/${app.id}`, keys[role])).status).toBe(200);
    expect((await call('GET', '/apps', keys[role])).status).toBe(200);
    const headers = { authorization: `Bearer ${keys[role]}` };
    const head = await fetch(new URL(`/management/v1/apps/${app.id}`, service.url), { method: 'HEAD', headers });
    expect(head.status).toBe(200);
  });

  it.each([
    ['auditor', 403],
    ['support', 200],
    ['operator', 200],
    ['owner', 200],
  ] as const)('%s gets %s for the deactivation of a user', async (role, status) => {
    const { user_id } = await service.given.user(app);
    const answer = await call('POST', `/apps/${app.id}/users/${user_id}/deactivate`, keys[role]);
    expect(answer.status).toBe(status);
    if (status === 403)
      expect(answer.body).toMatchObject({ error_type: 'missing_role', detail: expect.stringContaining('operator') });
    const user = await service.call('GET', `/v1/auth/users/${user_id}`, { key: app.secretKey });
    expect(user.body.active).toBe(status === 403);
  });

  it.each(['operator', 'support', 'auditor'] as const)(
    '%s cannot change apps, keys, URLs or connections',
    async (role) => {
      const before = await appNow();
      const url = await service.given.redirectUrl(app, 'login', `https://app.example/${randomUUID()}`);
      for (const [method, path, body] of [
        ['POST', '/apps', { name: 'X', mode: 'test' }],
        ['PATCH', `/apps/${app.id}`, { name: 'X' }],
        ['DELETE', `/apps/${app.id}`],
        ['POST', `/apps/${app.id}/keys`, { kind: 'secret' }],
        ['DELETE', `/apps/${app.id}/keys/key_${'0'.repeat(26)}`],
        ['POST', `/apps/${app.id}/redirect_urls`, { kind: 'login', url: 'https://mallory.example/' }],
        ['DELETE', `/apps/${app.id}/redirect_urls/${url.id}`],
        ['POST', `/apps/${app.id}/oauth_connections`, { provider: 'google', client_id: 'c', client_secret: 's' }],
      ] as const) {
        const answer = await call(method, path, keys[role], body);
        expect([path, answer.status, answer.body.error_type]).toEqual([path, 403, 'missing_role']);
        expect(answer.body.detail).toContain('owner');
      }
      expect(await appNow()).toEqual(before);
      expect((await call('GET', `/apps/${app.id}/redirect_urls`, keys[role])).text).toContain(url.id);
    },
  );

  it('is not changed by headers or fields that name another method', async () => {
    const before = await appNow();
    for (const header of ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override']) {
      const answer = await call('POST', `/apps/${app.id}/keys`, keys.auditor, { kind: 'secret' }, { [header]: 'GET' });
      expect(answer.status).toBe(403);
      await call('GET', `/apps/${app.id}?_method=DELETE`, keys.auditor, undefined, { [header]: 'DELETE' });
    }
    const options = await service.call('OPTIONS', `/management/v1/apps/${app.id}`, { key: keys.auditor });
    expect([200, 204, 405]).toContain(options.status);
    expect(await appNow()).toEqual(before);
  });

  it('is asked before the body is validated and before a kept answer is replayed', async () => {
    const idempotent = { 'Idempotency-Key': randomUUID() };
    const made = await call('POST', `/apps/${app.id}/keys`, keys.owner, { kind: 'secret' }, idempotent);
    expect(made.body.key).toMatch(/^sk_/);
    const replay = await call('POST', `/apps/${app.id}/keys`, keys.operator, { kind: 'secret' }, idempotent);
    expect(replay.status).toBe(403);
    expect(replay.text).not.toContain('sk_');
    expect((await call('POST', '/apps', keys.auditor, 'not json')).status).toBe(403);
  });
});

describe('a management key with an end', () => {
  it('is refused after it', async () => {
    const { id, key } = await keyWith('owner', new Date(Date.now() + 3_600_000));
    expect((await call('GET', '/apps', key)).status).toBe(200);
    await service.nest
      .get(Database)
      .write(`update management_keys set expires_at = now() - interval '1 second' where id = $1`, [id]);
    forgetSettings(service);
    expect((await call('GET', '/apps', key)).status).toBe(401);
  });

  it('is not made with an end in the past', async () => {
    await expect(keyWith('owner', new Date(0))).rejects.toThrow();
  });

  it('is refused once it is revoked', async () => {
    const { id, key } = await keyWith('auditor');
    expect((await call('GET', '/apps', key)).status).toBe(200);
    await service.nest.get(ManagementKeys).revoke({ actor: 'cli', requestId: null, ip: null }, id);
    expect((await call('GET', '/apps', key)).status).toBe(401);
  });
});

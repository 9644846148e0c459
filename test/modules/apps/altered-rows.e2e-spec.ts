import type { ManagementRole } from '../../../src/kernel/management-role.js';
import { ManagementKeys } from '../../../src/modules/apps/application/management-keys.js';
import { Database } from '../../../src/postgres/database.js';
import { type Answer, MANAGEMENT_KEY, startApp, type TestApp } from '../../support/app.js';
import { forgetSettings } from '../../support/background.js';
import type { GivenApp } from '../../support/given.js';

let service: TestApp;
let app: GivenApp;
let database: Database;

beforeAll(async () => {
  service = await startApp({ env: { MANAGEMENT_KEY } });
  database = service.nest.get(Database);
  app = await service.given.app();
});
afterAll(() => service?.stop());

const refusal = ({ status, body }: Answer) => [status, body.error_type];
const BROKEN = [500, 'seal_broken'];

async function write(sql: string, parameters: unknown[]): Promise<void> {
  await database.write(sql, parameters);
  forgetSettings(service);
}

const managementKey = (role: ManagementRole) =>
  service.nest
    .get(ManagementKeys)
    .create({ actor: 'cli', requestId: null, ip: null }, { name: role, role, expiresAt: null });

const apps = (key: string) => service.call('GET', '/management/v1/apps', { key });

async function restricted() {
  const body = { kind: 'restricted', scopes: ['users:read'] };
  const path = `/management/v1/apps/${app.id}/keys`;
  return (await service.call('POST', path, { key: MANAGEMENT_KEY, body })).body as { id: string; key: string };
}

describe('a key whose row was altered by SQL', () => {
  it('of an auditor is not that of an owner', async () => {
    const { id, key } = await managementKey('auditor');
    expect((await apps(key)).status).toBe(200);
    await write(`update management_keys set role = 'owner' where id = $1`, [id]);
    expect(refusal(await apps(key))).toEqual(BROKEN);
  });

  it('does not live longer, and is not that of another row', async () => {
    const [auditor, owner] = [await managementKey('auditor'), await managementKey('owner')];
    await write(`update management_keys set expires_at = now() + interval '1 day' where id = $1`, [auditor.id]);
    expect(refusal(await apps(auditor.key))).toEqual(BROKEN);
    const [{ hash }] = (await database.list<{ hash: Buffer }>(
      'select key_hash as hash from management_keys where id = $1',
      [auditor.id],
    )) as [{ hash: Buffer }];
    await database.write(`update management_keys set key_hash = decode(md5(id), 'hex') where id = $1`, [auditor.id]);
    await write('update management_keys set key_hash = $2 where id = $1', [owner.id, hash]);
    expect(refusal(await apps(auditor.key))).toEqual(BROKEN);
  });

  it.each([
    ['loses no scope limit', `restriction = jsonb_set(restriction, '{scopes}', '["users:read", "users:write"]')`],
    ['does not live longer', `expires_at = now() + interval '1 day'`],
    ['is not right without a MAC', `mac = null`],
  ])('%s', async (_, assignment) => {
    const { id, key } = await restricted();
    const { user_id } = await service.given.user(app);
    const get = () => service.call('GET', `/v1/auth/users/${user_id}`, { key });
    expect((await get()).status).toBe(200);
    await write(`update api_keys set ${assignment} where id = $1`, [id]);
    expect(refusal(await get())).toEqual(BROKEN);
  });

  it('is not valid again after its revocation was taken back', async () => {
    const { id, key } = await restricted();
    await service.call('DELETE', `/management/v1/apps/${app.id}/keys/${id}`, { key: MANAGEMENT_KEY });
    await write('update api_keys set revoked_at = null where id = $1', [id]);
    expect(refusal(await service.call('GET', '/v1/auth/users/user_00000000000000000000000000', { key }))).toEqual(
      BROKEN,
    );
  });
});

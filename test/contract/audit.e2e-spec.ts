import { eventually } from '../support/eventually.js';
import { appIn, callsOf, startWorld, type World } from '../support/calls.js';
import { readDocument } from '../support/document.js';
import { tenth } from '../support/sampled.js';

// Calls every operation of the management API that may change something, and looks for an entry of the audit log. An operation that
// makes none and is not listed below fails the test, so an entry cannot be forgotten.

const document = readDocument<{
  paths: Record<string, Record<string, unknown>>;
}>();
const operations = Object.entries(document.paths)
  .filter(([path]) => path.startsWith('/management/'))
  .flatMap(([path, item]) =>
    ['post', 'put', 'patch', 'delete']
      .filter((method) => method in item)
      .map((method) => `${method.toUpperCase()} ${path}`),
  );

/** The operations that make no entry, and why none is needed. */
const WITHOUT_ENTRY: Readonly<Record<string, string>> = {
  'POST /management/v1/apps/{app_id}/users/search': 'It reads.',
  'POST /management/v1/apps/{app_id}/templates/preview': 'It reads.',
  'POST /management/v1/apps/{app_id}/policies/evaluate': 'It reads.',
  'POST /management/v1/apps/{app_id}/approvals/{appr_id}/begin': 'It reads.',
  'POST /management/v1/apps/{app_id}/approver_groups/{agrp_id}/passkeys/{webauthn_id}/begin': 'It reads.',
  'POST /management/v1/apps/{app_id}/oauth_connections/{oauthconn_id}/test': 'It reads.',
};

/** They need a browser: test/modules/apps/management-session.e2e-spec.ts calls them. */
const CALLED_ELSEWHERE = ['POST /management/v1/session', 'DELETE /management/v1/session'];

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.stop());

/** The entries that a call of the operation makes. */
async function entriesOf(operation: string): Promise<unknown[]> {
  const app = await appIn(world);
  const call = callsOf(world, app)[operation];
  if (!call)
    throw new Error(`${operation} is not known: add it to test/support/calls.ts, or to the module's facts.ts.`);
  const [method, template] = operation.split(' ') as [string, string];
  const { path = template.replace('{app_id}', app.id), body } = await call();
  const requestId = `audit-${app.id}`;
  const headers = { 'x-request-id': requestId };
  const answer = await world.service.call(method, path, { key: world.service.managementKey, body, headers });
  if (answer.status !== 200) throw new Error(`${operation}: ${answer.text}`);
  const { rows } = await world.database.query<object>(
    `select outcome, actor like 'key\\_%' as has_key, ip is not null as has_address
       from audit_log left join audit_personal_data p on p.app_id = audit_log.app_id and p.entry_id = audit_log.id
      where request_id = $1`,
    [requestId],
  );
  return rows;
}

describe('an entry of the audit log', () => {
  it.each(
    tenth(operations.filter((operation) => !(operation in WITHOUT_ENTRY) && !CALLED_ELSEWHERE.includes(operation))),
  )('is made by %s, with its key and the address of the caller', async (operation) => {
    expect(await entriesOf(operation)).toEqual([{ outcome: 'ok', has_key: true, has_address: true }]);
  });

  it('has the name of its key, also after the key was revoked, and of keys that the app may not make', async () => {
    const app = await appIn(world);
    const key = world.service.managementKey;
    const base = `/management/v1/apps/${app.id}`;
    const { body: made } = await world.service.call('POST', `${base}/keys`, {
      key,
      body: { kind: 'secret', name: 'Backend of the shop' },
    });
    // The key is of the wrong kind, so each call is an entry of it.
    await world.service.call('GET', base, { key: made.key });
    await world.service.call('DELETE', `${base}/keys/${made.id}`, { key });
    const named = async (actor: string) => {
      const { body } = await world.service.call('GET', `${base}/audit_log`, { key, query: { actor, limit: '1' } });
      return body.entries[0]?.actor_name as string | undefined;
    };
    await eventually(async () => expect(await named(made.id)).toBe('Backend of the shop'));
    const { body: session } = await world.service.call('GET', '/management/v1/session', { key });
    expect(await named(session.key_id)).toBe('MANAGEMENT_KEY');
  });
});

import { appIn, callsOf, startWorld, type World } from '../support/calls.js';
import { readDocument } from '../support/document.js';
import { ofAll } from '../support/module-facts.js';
import { tenth } from '../support/sampled.js';

// Calls every operation that may change something, and looks for an event. An operation that publishes none and is not in the
// list below fails the test, so an event cannot be forgotten.

const document = readDocument<{
  paths: Record<string, Record<string, unknown>>;
}>();
const MUTATING = ['post', 'put', 'patch', 'delete'];
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  MUTATING.filter((method) => method in item).map((method) => `${method.toUpperCase()} ${path}`),
);

const READS = 'It changes nothing.';
const SENDS = 'It sends a code or link, of which only its use has an event; the user whom it creates has one.';
const OF_NO_APP = 'It is about a management key, which belongs to no app.';
const BEGINS = 'It begins what has an event when it is completed, and ends by itself.';

/** The operations that publish no event, and why none is needed. */
const WITHOUT_EVENT: Readonly<Record<string, string>> = {
  ...ofAll(({ withoutEvent }) => withoutEvent),
  'POST /v1/auth/users/search': READS,
  'POST /management/v1/apps/{app_id}/users/search': READS,
  'POST /management/v1/apps/{app_id}/templates/preview': READS,
  'POST /management/v1/apps/{app_id}/policies/evaluate': READS,
  'POST /management/v1/apps/{app_id}/oauth_connections/{oauthconn_id}/test': READS,
  'POST /v1/wallets/balance': READS,
  'POST /v1/auth/sessions/verify': 'It extends a session that has an event.',
  'POST /v1/auth/oauth/callback/{connection_id}':
    'It answers with a page of the app; a login has the events of its user and session.',
  'POST /v1/auth/magic_links/create': SENDS,
  'POST /v1/auth/otps/sms/send': SENDS,
  'POST /v1/auth/otps/email/send': SENDS,
  'POST /v1/auth/totps/create': BEGINS,
  'POST /v1/auth/totps/recovery_codes': READS,
  'POST /v1/wallets/import/begin': BEGINS,
  'POST /management/v1/apps/{app_id}/messages/{message_id}/resend': SENDS,
  'POST /management/v1/apps/{app_id}/jobs/{job_id}/retry': 'The work of the job has events of its own.',
  'POST /management/v1/session': OF_NO_APP,
  'DELETE /management/v1/session': OF_NO_APP,
};

/** Not called here. */
const NEED_A_BROWSER = [
  'POST /v1/auth/oauth/callback/{connection_id}',
  'POST /management/v1/session',
  'DELETE /management/v1/session',
];

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.stop());

async function eventsOf(appId: string): Promise<Set<string>> {
  const { rows } = await world.database.query<{ id: string }>('select id from stored_events where app_id = $1', [
    appId,
  ]);
  return new Set(rows.map(({ id }) => id));
}

/** The number of events of a call that succeeds. Each call has its own app, so they are events of this call only. */
async function publishedBy(operation: string): Promise<number> {
  const app = await appIn(world);
  const call = callsOf(world, app)[operation];
  if (!call)
    throw new Error(`${operation} is not known: add it to test/support/calls.ts, or to the module's facts.ts.`);
  const [method, template] = operation.split(' ') as [string, string];
  const { path = template.replace('{app_id}', app.id), body } = await call();
  const named = /^\/management\/v1\/apps\/(app_\w+)/.exec(path)?.[1];
  const before = await eventsOf(named ?? app.id);
  const key = path.startsWith('/management/') ? world.service.managementKey : app.secretKey;
  const answer = await world.service.call(method, path, { key, body });
  if (answer.status !== 200) throw new Error(`${operation}: ${answer.text}`);
  const after = await eventsOf(named ?? (path === '/management/v1/apps' ? answer.body.id : app.id));
  return [...after].filter((id) => !before.has(id)).length;
}

describe('an event', () => {
  it.each(tenth(operations.filter((operation) => !(operation in WITHOUT_EVENT))))(
    'is published by %s',
    async (operation) => {
      expect(await publishedBy(operation)).toBeGreaterThan(0);
    },
  );

  it.each(tenth(operations.filter((operation) => operation in WITHOUT_EVENT && !NEED_A_BROWSER.includes(operation))))(
    'is declared unnecessary for %s, which publishes none',
    async (operation) => {
      expect(await publishedBy(operation)).toBe(0);
    },
  );
});

import type { Answer } from '../support/app.js';
import { appIn, callsOf, startWorld, type World } from '../support/calls.js';
import { readDocument } from '../support/document.js';
import type { GivenApp } from '../support/given.js';
import type { Call } from '../support/module-facts.js';
import { Observer } from '../support/observer.js';
import { tenth } from '../support/sampled.js';

// Calls every operation of the management API below the path of an app that is deleted before the call, or while the call runs.

const APP = '/management/v1/apps/{app_id}';

const document = readDocument<{
  paths: Record<string, Record<string, unknown>>;
}>();
const operations = Object.entries(document.paths)
  .filter(([path]) => path.startsWith(APP))
  .flatMap(([path, item]) => Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`));

/** The audit log of an app outlives it. */
const OUTLIVES = `GET ${APP}/audit_log`;
const READS = [
  `POST ${APP}/users/search`,
  `POST ${APP}/templates/preview`,
  `POST ${APP}/policies/evaluate`,
  `POST ${APP}/approvals/{appr_id}/begin`,
  `POST ${APP}/approver_groups/{agrp_id}/passkeys/{webauthn_id}/begin`,
  `POST ${APP}/oauth_connections/{oauthconn_id}/test`,
];
const changes = operations.filter((operation) => !operation.startsWith('GET ') && !READS.includes(operation));
/** The longest time that the test keeps a row locked. The service waits for 4 s or more. */
const LONGEST_HOLD_SECONDS = 2;

let world: World;
let observer: Observer;
beforeAll(async () => {
  world = await startWorld();
  observer = await Observer.of(world.service);
});
afterAll(async () => {
  await observer?.close();
  await world?.stop();
});

/** A call that succeeds while the app is live, on objects that it has. */
async function preparedCall(operation: string, app: GivenApp): Promise<() => Promise<Answer>> {
  const [method, template] = operation.split(' ') as [string, string];
  const calls = callsOf(world, app);
  const own = operation === `DELETE ${APP}` ? {} : await calls[operation]?.();
  const { path = template, body }: Call = own ?? { path: await pathOf(template, calls) };
  const target = path.replace('{app_id}', app.id);
  const headers = { 'x-request-id': app.id };
  return () =>
    world.service.call(method, target, {
      key: world.service.managementKey,
      headers,
      ...(body !== undefined && { body }),
    });
}

/** The path of a read, with the ids of objects that another operation needs. */
async function pathOf(template: string, calls: ReturnType<typeof callsOf>): Promise<string> {
  const parts = template.split('/');
  const toId = parts.findLastIndex((part) => part.startsWith('{')) + 1;
  const prefix = parts.slice(0, toId).join('/');
  if (prefix === APP) return template;
  const [, call] = Object.entries(calls).find(([name]) => `${name}/`.includes(` ${prefix}/`)) ?? [];
  if (!call) throw new Error(`No call of test/support/calls.ts or a facts.ts names an object of ${template}.`);
  const { path } = await call();
  return [...path!.split('/').slice(0, toId), ...parts.slice(toId)].join('/');
}

const refusal = ({ status, body }: Answer): unknown => [status, body.error_type];

describe('an app that was deleted', () => {
  it.each(tenth(operations.filter((operation) => operation !== OUTLIVES)))('is not found by %s', async (operation) => {
    const app = await appIn(world);
    const call = await preparedCall(operation, app);
    const path = `/management/v1/apps/${app.id}`;
    expect((await world.service.call('DELETE', path, { key: world.service.managementKey })).status).toBe(200);
    expect(refusal(await call())).toEqual([404, 'app_not_found']);
  });
});

describe('an app that is deleted while an operation changes it', () => {
  it.each(tenth(changes))('is not changed by %s', async (operation) => {
    const app = await appIn(world);
    const call = await preparedCall(operation, app);
    await observer.rows('begin');
    await observer.rows('select from apps where id = $1 for update', [app.id]);
    await observer.rows('update apps set deleted_at = now() where id = $1', [app.id]);
    let isAnswered = false;
    const answer = call().finally(() => (isAnswered = true));
    // An early failure is reported below, not as an unhandled rejection.
    answer.catch(() => undefined);
    await observer.untilWaiting('apps', () => (isAnswered ? 0 : 1), LONGEST_HOLD_SECONDS);
    await observer.rows('commit');
    expect(refusal(await answer)).toEqual([404, 'app_not_found']);
    expect(await observer.rows(`select action from audit_log where request_id = $1`, [app.id])).toEqual([]);
  });
});

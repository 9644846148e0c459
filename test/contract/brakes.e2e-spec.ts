import { MacTables } from '../../src/kernel/row-macs.js';
import { columnsOf } from '../../src/postgres/statement.js';
import { forgetSettings } from '../support/background.js';
import { appIn, callsOf, startWorld, type World } from '../support/calls.js';
import { readDocument } from '../support/document.js';
import { tenth } from '../support/sampled.js';

// Calls every operation that ends or stops something while all rows of the app are as an attacker with SQL has left them: a brake that
// refuses altered rows would serve the attacker. And none of them makes an altered row right.

const document = readDocument<{ paths: Record<string, Record<string, unknown>> }>();
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
);
const APP = '/management/v1/apps/{app_id}';
const isBrake = (operation: string): boolean =>
  operation.startsWith('DELETE /') || /^POST .*\/(freeze|retire|deactivate|cancel)$/.test(operation);

/** Those that go by what an altered row says, and why they may not. */
const REFUSED: Readonly<Record<string, string>> = {
  [`DELETE ${APP}/approver_groups/{agrp_id}`]: 'The policies and settings of the app say whether the group is needed.',
  [`DELETE ${APP}/users/{user_id}/webauthn_credentials/{webauthn_credential_id}`]:
    'The user must be notified, and an altered app sends no messages.',
  'DELETE /v1/auth/users/wallets/{wallet_id}/delete': 'The row says whether a key would leave with the wallet.',
  'DELETE /v1/auth/users/{user_id}/recovery': 'Only a session may end the wait.',
};
const brakes = operations.filter((operation) => isBrake(operation) && !(operation in REFUSED));
const ofOperators = brakes.filter((operation) => operation.includes(APP));
const ofApps = brakes.filter((operation) => operation.includes(' /v1/'));

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.stop());

interface Place {
  readonly table: string;
  readonly mac: string;
  readonly app: string;
}
const places = MacTables.declared.flatMap(({ table, column = 'mac', app = 'appId' }): Place[] =>
  app === null
    ? []
    : [
        {
          table,
          mac: columnsOf<Record<string, unknown>>([column]).names,
          app: columnsOf<Record<string, unknown>>([app]).names,
        },
      ],
);

/** Gives all rows of the app a wrong MAC: the same as any change of what they grant. */
async function alter(appId: string, among: readonly Place[]): Promise<void> {
  for (const { table, mac, app } of among)
    await world.database.query(`update ${table} set ${mac} = '\\x00' where ${app} = $1 and ${mac} is not null`, [
      appId,
    ]);
  forgetSettings(world.service);
}

/** The tables with a row that has a MAC as the service makes it. */
async function rightIn(appId: string, among: readonly Place[]): Promise<string[]> {
  const right: string[] = [];
  for (const { table, mac, app } of among) {
    const sql = `select from ${table} where ${app} = $1 and octet_length(${mac}) > 1`;
    if ((await world.database.query(sql, [appId])).rows.length > 0) right.push(`${table}.${mac}`);
  }
  return right;
}

async function braked(operation: string, isOfOperators: boolean): Promise<void> {
  const app = await appIn(world);
  const call = callsOf(world, app)[operation];
  if (!call)
    throw new Error(`${operation} is not known: add it to test/support/calls.ts, or to the module's facts.ts.`);
  const [method, template] = operation.split(' ') as [string, string];
  const { path = template.replace('{app_id}', app.id), body } = await call();
  const appId = /\/apps\/(app_\w+)/.exec(path)?.[1] ?? app.id;
  // A key is that of its app, whose row every call of it needs.
  const among = places.filter(({ table }) => isOfOperators || (table !== 'apps' && table !== 'api_keys'));
  await alter(appId, among);
  const key = isOfOperators ? world.service.managementKey : app.secretKey;
  const answer = await world.service.call(method, path, { key, ...(body !== undefined && { body }) });
  if (answer.status !== 200) throw new Error(`${operation}: ${answer.status} ${answer.text}`);
  expect(await rightIn(appId, among)).toEqual([]);
}

describe('an app of which SQL has altered everything', () => {
  it.each(tenth(ofOperators))('is braked by %s, and stays altered', (operation) => braked(operation, true));
});

describe('the objects of an app, of which SQL has altered all', () => {
  it.each(tenth(ofApps))('are ended by %s, and stay altered', (operation) => braked(operation, false));
});

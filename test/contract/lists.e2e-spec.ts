import type { TestApp } from '../support/app.js';
import { textsOf } from '../support/statements.js';
import { callPrefilled, type Keys, operations, startDevelopment } from './prefilled.js';

/** The demo app has too few items of these for a second page, or gets them from background work. */
const SHORT = [
  'approvals_list',
  'auditLog_listOfNoApp',
  'clientApprovals_list',
  'clientDecisions_list',
  'clientWebhookEndpoints_listDeliveries',
  'decisions_list',
  'deposit_list',
  'grants_list',
  'managedDeposits_list',
  'managedGrants_list',
  'managedSessions_list',
  'operations_jobs',
  'operations_messages',
  'refusedCalls_list',
  'session_list',
  'transfer_list',
  'webhookEndpoints_listDeliveries',
];

const LISTS = operations.filter(
  ({ method, operation, name }) =>
    method === 'GET' && operation.parameters?.some((each) => each.name === 'limit') && !SHORT.includes(name),
);

let app: TestApp;
let keys: Keys;
beforeAll(async () => {
  ({ app, keys } = await startDevelopment());
  // Beside the demo object comes a further one.
  for (const { path } of LISTS) {
    const create = operations.find((each) => each.method === 'POST' && each.path === path);
    if (create) await callPrefilled(app.url, keys, create);
  }
});
afterAll(() => app?.stop());

/** The items of a page. */
async function read({ operation, ...list }: (typeof LISTS)[number], limit: number): Promise<unknown[]> {
  const parameters = operation.parameters!.map((each) => (each.name === 'limit' ? { ...each, example: limit } : each));
  const response = await callPrefilled(app.url, keys, { ...list, operation: { ...operation, parameters } });
  expect(response.status).toBe(200);
  return Object.values((await response.json()) as object).find((each) => Array.isArray(each)) as unknown[];
}

/** TypeORM writes the limit into the text. */
async function statementsOf(list: (typeof LISTS)[number], limit: number): Promise<string[]> {
  return (await textsOf(() => read(list, limit))).map((text) => text.replace(/\blimit \d+$/i, 'limit'));
}

describe('a list', () => {
  it.each(LISTS)('sends no statement for each item: $name', async (list) => {
    expect((await read(list, 100)).length).toBeGreaterThan(1);
    expect(await statementsOf(list, 100)).toEqual(await statementsOf(list, 1));
  });
});

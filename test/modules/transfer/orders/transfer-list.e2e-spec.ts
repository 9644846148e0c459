import { newId } from '../../../../src/kernel/ids.js';
import { type Answer, startApp, type TestApp } from '../../../support/app.js';
import type { GivenApp } from '../../../support/given.js';
import { nodesOf, planOf } from '../../../support/plans.js';
import { statementsOf } from '../../../support/statements.js';
import { Observer } from '../../../support/observer.js';

const COUNT = 20_000;
const [USER, WALLET, OTHER] = [newId('user'), newId('wallet'), newId('wallet')];

let service: TestApp;
let observer: Observer;
let app: GivenApp;
beforeAll(async () => {
  service = await startApp();
  observer = await Observer.of(service);
  app = await service.given.app();
  // The newest 10,000 are of one wallet, the earlier ones of another wallet; all of one user.
  await observer.rows(
    `insert into transfers (app_id, id, user_id, status, source, source_address, dest, chain, network, currency, symbol,
       decimals, amount, fee_cap, notes, expires_at)
     select $1, 'transfer_' || lpad(to_hex(i), 26, '0'), $2, 'expired', case when i > ${COUNT / 2} then $3 else $4 end, '0x1', '0x2',
       'ethereum', 'ethereum:1', 'ethereum', 'ETH', 18, i, 1, '', now()
       from generate_series(1, ${COUNT}) i`,
    [app.id, USER, WALLET, OTHER],
  );
  await observer.rows('vacuum analyze transfers');
});
afterAll(async () => {
  await observer.close();
  await service.stop();
});

const list = (query: Record<string, string | number>): Promise<Answer> =>
  service.call('GET', '/v1/transfers/list', {
    key: app.secretKey,
    query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
  });
const namesOf = ({ body }: Answer): string[] => body.transfers.map(({ id }: { id: string }) => id);
const named = (i: number): string => `transfer_${i.toString(16).padStart(26, '0')}`;

describe('a list of many transfers', () => {
  it.each<[string, Record<string, string>]>([
    ['of the app', {}],
    ['of a user', { user_id: USER }],
    ['of a wallet', { source: OTHER, offset: '9980' }],
  ])('%s reads the attempts of its page only, not of those that its offset skips', async (_, filters) => {
    const query = { limit: 10, offset: COUNT - 20, ...filters };
    let answer: Answer | undefined;
    const sent = await statementsOf(async () => {
      answer = await list(query);
    });
    expect(namesOf(answer!)).toEqual(Array.from({ length: 10 }, (_, i) => named(20 - i)));
    const plan = await planOf(
      service,
      sent.find(({ text }) => text.includes('order by'))!,
    );
    const loops = nodesOf(plan)
      .filter((node) => node['Relation Name'] === 'transfer_attempts')
      .map((node) => node['Actual Loops']);
    expect(loops).toEqual([10]);
  });

  it('counts up to 10,000 exactly and estimates what is beyond', async () => {
    expect((await list({ source: WALLET })).body).toMatchObject({ count: COUNT / 2, count_estimated: false });
    const { body } = await list({});
    expect(body.count_estimated).toBe(true);
    expect(Math.abs(body.count - COUNT)).toBeLessThan(COUNT / 10);
    expect((await list({ source: newId('wallet') })).body).toMatchObject({ count: 0, count_estimated: false });
  });

  it('never estimates fewer transfers than the page has shown', async () => {
    await observer.onEachNode(
      `update pg_class set reltuples = 1, relpages = 100000 where relname ~ '^transfers(_[0-9]{6})?$'`,
    );
    const { body } = await list({ offset: COUNT - 10, limit: 10 });
    await observer.rows('analyze transfers');
    expect(body.count).toBeGreaterThanOrEqual(COUNT);
  });

  it('that takes too long is refused, and its connection is not one of the pool', async () => {
    const blocker = await Observer.of(service);
    await blocker.rows('begin');
    await blocker.rows('lock table transfers in access exclusive mode');
    // More than there are connections in the pool.
    const lists = Array.from({ length: 70 }, () => list({ offset: 10_001 }));
    await observer.untilWaiting('transfers', () => 2);
    expect((await service.call('GET', '/v1/wallets/list', { key: app.secretKey })).status).toBe(200);
    const answers = await Promise.all(lists);
    await blocker.rows('rollback');
    await blocker.close();
    const outcomes = new Set(answers.map(({ status, body }) => `${status} ${body.error_type}`));
    // A busy machine may answer the probe of the database too late.
    outcomes.delete('503 service_unavailable');
    expect(outcomes).toEqual(new Set(['400 list_too_broad', '429 too_many_requests']));
  });
});

import { describeWebhooks } from '../../../src/edge/openapi/webhooks.js';
import { newId } from '../../../src/kernel/ids.js';
import { type Answer, startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import type { GivenApp } from '../../support/given.js';
import { Observer } from '../../support/observer.js';
import { planOf, rowsRead } from '../../support/plans.js';
import { statementsOf } from '../../support/statements.js';

let app: TestApp;
let shop: GivenApp;
let other: GivenApp;
let observer: Observer;
let ann: { user_id: string };
let bob: { user_id: string };
beforeAll(async () => {
  app = await startApp();
  observer = await Observer.of(app);
  [shop, other] = [await app.given.app(), await app.given.app()];
  [ann, bob] = [await app.given.user(shop), await app.given.user(shop)];
  await app.given.user(other);
  await sequenced();
});
afterAll(async () => {
  await observer.close();
  await app.stop();
});

/** Resolves when every committed event has its position. */
async function sequenced(): Promise<void> {
  await eventually(async () => expect(await observer.rows('select from unsequenced_events')).toHaveLength(0));
}

function feed(query: Record<string, string> = {}, key = shop.secretKey): Promise<Answer> {
  return app.call('GET', '/v1/events', { key, query });
}

interface FeedEvent {
  readonly id: string;
  readonly type: string;
  readonly position: number;
  readonly data: { readonly user_id?: string };
}

async function eventsOf(query: Record<string, string> = {}, key = shop.secretKey): Promise<FeedEvent[]> {
  const answer = await feed(query, key);
  expect(answer.status).toBe(200);
  return answer.body.events;
}

describe('GET /v1/events', () => {
  it('lists the events of the app in dense positions that begin with 1', async () => {
    const events = await eventsOf();
    expect(events.map(({ type }) => type)).toEqual([
      'app.created',
      'user.created',
      'wallet.created',
      'user.created',
      'wallet.created',
    ]);
    expect(events.map(({ position }) => position)).toEqual([1, 2, 3, 4, 5]);
    const now = Date.now() / 1000;
    for (const event of events)
      expect(event).toEqual({
        id: expect.stringMatching(/^evt_[0-9a-hjkmnp-tv-z]{26}$/),
        type: expect.any(String),
        created_at: expect.any(Number),
        app_id: shop.id,
        position: expect.any(Number),
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        request_id: expect.any(String),
        data: expect.any(Object),
      });
    const [first] = events as unknown as { created_at: number; timestamp: string }[];
    expect(Math.floor(Date.parse(first!.timestamp) / 1000)).toBe(first!.created_at);
    expect(first!.created_at).toBeLessThanOrEqual(now);
  });

  it('goes on after an event id and after a position, in pages', async () => {
    const all = await eventsOf();
    const page = (await feed({ limit: '2' })).body;
    expect(page).toMatchObject({ events: all.slice(0, 2), has_more: true });
    const byId = (await feed({ limit: '2', after: page.events[1].id })).body;
    expect(byId).toMatchObject({ events: all.slice(2, 4), has_more: true });
    const byPosition = (await feed({ limit: '2', after: '2' })).body;
    expect(byPosition).toEqual(byId);
    expect((await feed({ limit: '1', after: '4' })).body).toMatchObject({ events: all.slice(4), has_more: false });
    expect((await feed({ after: '0' })).body).toMatchObject({ events: all, has_more: false });
    expect((await feed({ after: '5' })).body).toMatchObject({ events: [], has_more: false });
  });

  it.each([
    ['a position that no event has had', () => '6'],
    ['an unknown event id', () => newId('event')],
    ['the event id of the latest time', () => `evt_${'z'.repeat(26)}`],
    ['an event id from long before the first event', () => `evt_${'0'.repeat(26)}`],
    ['an id of another kind', () => newId('user')],
    ['a text', () => 'yesterday'],
    ['a negative position', () => '-1'],
    ['an empty text', () => ''],
  ])('refuses %s as cursor', async (_, after) => {
    const answer = await feed({ after: after() });
    expect([answer.status, answer.body.error_type]).toEqual([400, 'invalid_cursor']);
  });

  it("refuses another app's event id as cursor", async () => {
    const [theirs] = await eventsOf({}, other.secretKey);
    const answer = await feed({ after: theirs!.id });
    expect([answer.status, answer.body.error_type]).toEqual([400, 'invalid_cursor']);
  });

  it('lists only the types that are asked for', async () => {
    const all = await eventsOf();
    expect(await eventsOf({ types: 'wallet.created' })).toEqual([all[2], all[4]]);
    expect(await eventsOf({ types: 'wallet.created,app.created' })).toEqual([all[0], all[2], all[4]]);
    expect(await eventsOf({ types: 'wallet.created,wallet.created', after: '3' })).toEqual([all[4]]);
    expect((await feed({ types: 'app.created,wallet.created', limit: '2' })).body).toMatchObject({
      events: [all[0], all[2]],
      has_more: true,
    });
  });

  it('names an unknown type', async () => {
    const answer = await feed({ types: 'user.created,user.exploded' });
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, 'types']);
    expect(answer.body.error_message).toContain('"user.exploded"');
  });

  it('lists only the events about a user', async () => {
    const all = await eventsOf();
    expect(await eventsOf({ user_id: bob.user_id })).toEqual(all.slice(3));
    expect(await eventsOf({ user_id: bob.user_id, types: 'wallet.created' })).toEqual([all[4]]);
    expect(await eventsOf({ user_id: ann.user_id, after: '2' })).toEqual([all[2]]);
  });

  it.each(['0', '1001', 'many'])('refuses the limit %s', async (limit) => {
    expect((await feed({ limit })).status).toBe(400);
  });

  it('shows nothing of another app', async () => {
    for (const event of await eventsOf({}, other.secretKey)) expect(event).toMatchObject({ app_id: other.id });
  });
});

describe('GET /v1/events/{id}', () => {
  it('answers the event as the feed shows it', async () => {
    const [first] = await eventsOf();
    const answer = await app.call('GET', `/v1/events/${first!.id}`, { key: shop.secretKey });
    expect([answer.status, answer.body]).toEqual([200, first]);
  });

  it("refuses an unknown event and another app's", async () => {
    const [theirs] = await eventsOf({}, other.secretKey);
    for (const id of [
      newId('event'),
      `evt_${'z'.repeat(26)}`,
      `evt_${'0'.repeat(26)}`,
      theirs!.id,
      'evt_x',
      newId('user'),
    ]) {
      const answer = await app.call('GET', `/v1/events/${id}`, { key: shop.secretKey });
      expect([answer.status, answer.body.error_type]).toEqual([404, 'event_not_found']);
    }
  });
});

describe('GET /v1/event_types', () => {
  it('lists the types with the schemas of their data', async () => {
    const { status, body } = await app.call('GET', '/v1/event_types', { key: shop.secretKey });
    expect(status).toBe(200);
    const types = new Map(body.event_types.map((type: { name: string }) => [type.name, type]));
    expect(types.get('session.revoked')).toEqual({
      name: 'session.revoked',
      version: 1,
      description: expect.any(String),
      schema: {
        type: 'object',
        properties: {
          session_id: { type: 'string', pattern: '^sess_[0-9a-hjkmnp-tv-z]{26}$', description: expect.any(String) },
          user_id: { type: 'string', pattern: '^user_[0-9a-hjkmnp-tv-z]{26}$', description: expect.any(String) },
          actor: { type: 'string', description: expect.any(String) },
        },
        required: ['session_id', 'user_id'],
      },
    });
  });
});

describe('the declared types of events', () => {
  it('name the user in every event that is about one', async () => {
    const { body } = await app.call('GET', '/v1/event_types', { key: shop.secretKey });
    const types = body.event_types as { name: string; schema: { required?: string[]; properties: object } }[];
    const others = types.filter(({ schema }) => !schema.required?.includes('user_id')).map(({ name }) => name);
    const ofApp = /^(app|approval|client|key|policy|redirect_url|resource|oauth_connection|webhook|webhook_endpoint)\./;
    // Refused before the user was known.
    expect(others.filter((name) => !ofApp.test(name))).toEqual(['limit.reached', 'login.failed']);
  });

  it('are the webhooks of the API document', async () => {
    const { body } = await app.call('GET', '/v1/event_types', { key: shop.secretKey });
    const types = body.event_types as { name: string; schema: object }[];
    const { webhooks, schemas } = describeWebhooks();
    expect(Object.keys(webhooks)).toEqual(types.map(({ name }) => name));
    for (const { name, schema } of types) {
      const text = JSON.stringify(webhooks[name]);
      const shared = /#\/components\/schemas\/(\w+EventData)/.exec(text)?.[1];
      if (shared === undefined) expect(text).toContain(JSON.stringify({ type: { const: name }, data: schema }));
      else expect(schemas[shared]).toEqual({ description: expect.any(String), ...schema });
    }
    expect(Object.keys(schemas)).toContain('TransferEventData');
  });
});

describe('the feed of an app with many events', () => {
  const COUNT = 50_000;
  let busy: GivenApp;
  beforeAll(async () => {
    busy = await app.given.app();
    await sequenced();
    await withoutStatistics();
    // The rare type and the rare user have one event in 10,000.
    await observer.rows(
      `insert into event_log (app_id, id, position, type, user_id, body, created_at, sequenced_at)
       select $1, 'evt_' || lpad(n::text, 26, '0'), n + 1,
              case when n % 10000 = 0 then 'app.deleted' when n % 2 = 0 then 'session.created' else 'user.updated' end,
              'user_' || lpad((case when n % 10000 = 0 then 0 else 1 + n % 50 end)::text, 26, '0'),
              json_build_object('id', 'evt_' || lpad(n::text, 26, '0'), 'type', 'user.updated', 'created_at', 1, 'app_id', $1::text,
                                'position', n + 1, 'timestamp', '1970-01-01T00:00:01.000Z', 'data', '{}'::json)::text, now(), now()
         from generate_series(1, ${COUNT}) n`,
      [busy.id],
    );
    await observer.rows(`update event_positions set last_position = ${COUNT + 1} where app_id = $1`, [busy.id]);
  });

  /** Autovacuum may already have gathered statistics of a few events, in which the app with many is missing. */
  async function withoutStatistics(): Promise<void> {
    const partitions = await observer.rows<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'event_log'::regclass`,
    );
    for (const { name } of partitions) await observer.rows(`alter table ${name} set (autovacuum_enabled = false)`);
    await observer.rows(
      `delete from pg_statistic where starelid in (select inhrelid from pg_inherits where inhparent = 'event_log'::regclass)`,
    );
  }

  // Their data are not those of their types.
  afterAll(() => observer.rows('delete from event_log where app_id = $1', [busy.id]));

  it.each([
    ['at its end', { after: String(COUNT - 5) }, 6],
    ['from its middle', { after: '20000', limit: '50' }, 51],
    ['of a rare type', { types: 'app.deleted' }, 5],
    ['of a rare and a frequent type', { types: 'app.deleted,session.created', limit: '20' }, 5 + 21],
    ['of a rare user', { user_id: `user_${'0'.repeat(26)}` }, 5],
    ['of a user and a type', { user_id: `user_${'1'.padStart(26, '0')}`, types: 'app.deleted' }, 1_000],
  ])('is read %s by two statements that read hardly more rows than they return', async (_, query, most) => {
    for (const statistics of ['none', 'current']) {
      if (statistics === 'current') await observer.rows('analyze event_log');
      const sent = await statementsOf(async () => {
        const answer = await feed(query, busy.secretKey);
        expect(answer.status).toBe(200);
        expect(answer.body.events.length).toBeLessThanOrEqual(most);
      });
      expect(sent.length).toBeLessThanOrEqual(2);
      const page = await planOf(app, sent.at(-1)!);
      // One more row: the highest dropped position.
      expect(rowsRead(page)).toBeLessThanOrEqual(most + 1);
    }
  });

  it.each([
    ['a frequent user', 1, {}, 101, 101],
    ['a frequent user, of the type of all of them', 1, { types: 'session.created' }, 101, 101],
    ['a frequent user, from the middle', 1, { starting_after: `evt_${'20000'.padStart(26, '0')}` }, 101, 101],
    ['a frequent user, of a type that no event of the user has', 1, { types: 'app.deleted' }, 0, 1_000 + 1],
    ['a rare user', 0, { types: 'app.deleted,user.updated' }, 5, 5],
    ['an unknown user', 99, {}, 0, 0],
  ] as const)(
    'is read for %s by a statement that reads no event of another user',
    async (_, user, query, shown, most) => {
      const path = `/management/v1/apps/${busy.id}/users/user_${String(user).padStart(26, '0')}/events`;
      for (const statistics of ['none', 'current']) {
        if (statistics === 'current') await observer.rows('analyze event_log');
        const sent = await statementsOf(async () => {
          const answer = await app.call('GET', path, { key: app.managementKey, query: { limit: '100', ...query } });
          expect(answer.status).toBe(user === 99 ? 404 : 200);
          expect(answer.body.events?.length ?? 0).toBe(Math.min(shown, 100));
        });
        const plans = await Promise.all(
          sent
            .filter(({ text }) => /from event_log/.test(text) && !/lateral/.test(text))
            .map((each) => planOf(app, each)),
        );
        expect(plans.length).toBeGreaterThan(0);
        expect(plans.reduce((sum, plan) => sum + rowsRead(plan), 0)).toBeLessThanOrEqual(most);
      }
    },
  );
});

describe('a feed whose database was brought back to an older state', () => {
  it('has another feed_id, and names the last position that both feeds have, by position and by id', async () => {
    const store = await app.given.app();
    const user = await app.given.user(store);
    await sequenced();
    const before = (await feed({}, store.secretKey)).body;
    expect(before).toMatchObject({ feed_id: expect.stringMatching(/^feed_[0-9a-f]{12}\.\d+$/), has_more: false });
    const { feed_id } = before as { feed_id: string };
    expect((await feed({ after: '1', feed_id }, store.secretKey)).body).toMatchObject({ feed_id });
    // As a restore does: the last event is gone, and its position is given to another one. Only the history of the server is simulated.
    await observer.rows(`delete from event_log where app_id = $1 and position > 2`, [store.id]);
    await observer.rows(`update event_positions set last_position = 2 where app_id = $1`, [store.id]);
    // A position that is not given yet, before anything shows another history.
    const early = await feed({ after: '3', feed_id }, store.secretKey);
    expect([early.status, early.body.error_type]).toEqual([409, 'feed_was_reset']);
    const [{ text }] = (await observer.rows<{ text: string }>(
      `select pg_get_functiondef('feed_history()'::regprocedure) as text`,
    )) as [{ text: string }];
    try {
      await observer.rows(text.replace(/AS \$function\$[^]*\$function\$/, () => `AS $$ select 'fedcba987654' $$`));
      const unchanged = (await feed({ after: '2' }, store.secretKey)).body;
      await app.call('PUT', `/v1/auth/users/${user.user_id}/update`, {
        key: store.secretKey,
        body: { first_name: 'Ann' },
      });
      await sequenced();
      const after = (await feed({ after: '2' }, store.secretKey)).body;
      expect(after.events.map(({ position }: FeedEvent) => position)).toEqual([3]);
      expect(after.feed_id).toBe(`${feed_id}-fedcba987654.2`);
      expect(unchanged.feed_id).toBe(after.feed_id);
      for (const cursor of ['3', '1', before.events[1].id]) {
        const { status, body } = await feed({ after: cursor, feed_id }, store.secretKey);
        expect([status, body.error_type]).toEqual([409, 'feed_was_reset']);
        expect(body.error_message).toContain('position 2.');
      }
      expect((await feed({ after: '2', feed_id: after.feed_id }, store.secretKey)).status).toBe(200);
      // The event that was lost is not taken for the one that has its position now.
      expect((await feed({ after: before.events[2].id }, store.secretKey)).status).toBe(400);
    } finally {
      await observer.rows(text);
    }
  });
});

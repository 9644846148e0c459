import { randomUUID } from 'node:crypto';
import { ManagementKeys } from '../../src/modules/apps/index.js';
import { firstIdAt, newId } from '../../src/kernel/ids.js';
import { type Answer, startApp, type TestApp } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import type { GivenApp } from '../support/given.js';
import { codeIn, Inbox } from '../support/inbox.js';
import { Observer } from '../support/observer.js';
import { nodesOf, planOf, rowsRead } from '../support/plans.js';
import { signIn } from '../support/sign-in.js';
import { isRemembered, roundTripsOf } from '../support/statements.js';
import { signRows } from '../support/row-macs.js';

const COUNT = 5_000;
const LAST = '0'.repeat(26);

/** The ids of audit entries have a time: an hour for each. */
const FIRST_ENTRY_MS = Date.UTC(2024, 0, 1);
const hourOf = (i: number) => new Date(FIRST_ENTRY_MS + i * 3_600_000);
const entryOf = (i: number) => firstIdAt('auditEntry', hourOf(i));

let service: TestApp;
let inbox: Inbox;
let observer: Observer;
let app: GivenApp;
let stranger: GivenApp;
let user: string;
let auditor: string;
beforeAll(async () => {
  inbox = await Inbox.start();
  service = await startApp({ env: inbox.env });
  observer = await Observer.of(service);
  [app, stranger] = [await service.given.app(), await service.given.app()];
  user = (await service.given.user(app)).user_id;
  auditor = (
    await service.nest
      .get(ManagementKeys)
      .create({ actor: 'cli', requestId: null, ip: null }, { name: 'audit', role: 'auditor', expiresAt: null })
  ).key;
  await seed(app.id, 0);
  await seed(stranger.id, 1);
});
afterAll(async () => {
  await observer?.close();
  await service?.stop();
  await inbox?.stop();
});

const idsOf = (prefix: string) => `'${prefix}_' || lpad(i::text, 26, '0')`;

/** Rows that are older than any that the tests make. */
async function seed(appId: string, number: number): Promise<void> {
  for (const insert of [
    `insert into users (app_id, id, status, first_name, middle_name, last_name, wallet_type, created_at, updated_at)
     select $1, ${idsOf('user')}, 'active', '', '', '', 'ethereum', now(), now()`,
    `insert into sessions (app_id, id, user_id, token_hash, expires_at, factors, user_agent, ip)
     select $1, ${idsOf('sess')}, ${idsOf('user')}, sha256(($1 || i)::bytea), now() + make_interval(secs => i - ${COUNT / 2}), '{}', '', ''`,
    `insert into wallets (app_id, id, user_id, wallet_type, public_address, verified, is_default, is_read_only, is_imported)
     select $1, ${idsOf('wallet')}, ${idsOf('user')}, 'ethereum', '0x' || i, true, false, true, true`,
    `insert into transfers (app_id, id, user_id, status, source, source_address, dest, chain, network, currency, symbol,
       decimals, amount, fee_cap, notes, expires_at, stuck_since)
     select $1, ${idsOf('transfer')}, 'user_' || lpad((i % 10)::text, 26, '0'), case when i = 7 then 'failed' else 'expired' end,
       'wallet_' || lpad((i % 10)::text, 26, '0'), '0x1', '0x2', 'ethereum', 'eip155:1', 'ethereum', 'ETH', 18, i, 1, '', now(), case when i in (7, 9) then now() end`,
    `insert into messages (app_id, id, channel, kind, recipient, status, attempts, last_error)
     select $1, ${idsOf('msg')}, 'mail', 'magic_link', i || '@example.com', case when i = 7 then 'failed' else 'sent' end, 1, null`,
    `insert into jobs (app_id, id, kind, payload, attempt, due_at, rank_at, died_at, error)
     select $1, 'job_' || ${number} || lpad(i::text, 25, '0'), 'seeded', null, 1, '2100-01-01', '2100-01-01', case when i = 7 then now() end, 'Error: seeded'`,
  ])
    await observer.rows(`${insert} from generate_series(1, ${COUNT}) i`, [appId]);
  for (const table of ['users', 'sessions', 'wallets']) await signRows(service, table);
  // Refused calls, and one change, with the numbers of entries that are chained already.
  const numbers = Array.from({ length: COUNT }, (_, i) => i + 1);
  await observer.rows(
    `insert into audit_log (app_id, id, number, mac, actor, action, target_id, fields, outcome, created_at)
     select $1, id, -i, '', case when i = 7 then 'seeded' else 'unknown' end, case when i = 7 then 'key.created' else 'call.refused' end,
       '', '{}', case when i = 7 then 'ok' else 'refused' end, created_at
       from unnest($2::text[], $3::timestamptz[]) with ordinality as e (id, created_at, i)`,
    [appId, numbers.map(entryOf), numbers.map(hourOf)],
  );
  await observer.rows(
    `insert into audit_personal_data (app_id, entry_id, salt, ip) select $1, id, '', '192.0.2.1' from unnest($2::text[]) as e (id)`,
    [appId, numbers.map(entryOf)],
  );
  await observer.rows('analyze');
}

const call = (method: string, path: string, appId = app.id, body?: unknown, key = service.managementKey) =>
  service.call(method, `/management/v1/apps/${appId}${path}`, { key, ...(body !== undefined && { body }) });
const get = (path: string, appId?: string) => call('GET', path, appId, undefined, auditor);
const itemsOf = ({ body }: Answer): { id?: string; user_id: string }[] =>
  Object.values(body as object).find((value) => Array.isArray(value)) as { id?: string; user_id: string }[];
const keysOf = (answer: Answer) => itemsOf(answer).map(({ id, user_id }) => id ?? user_id);

const LISTS = ['users', 'sessions', 'wallets', 'transfers', 'messages', 'jobs'];
/** Its pages may be longer, and it outlives its app. */
const AUDIT_LOG = 'audit_log';
const PAGED = [...LISTS, AUDIT_LOG];
const atHour = (i: number) => hourOf(i).getTime() / 1_000;
/** Lists with the filters that an index must serve. */
const FILTERED = [
  ...PAGED,
  `sessions?user_id=user_${LAST.slice(0, -1)}9`,
  `wallets?user_id=user_${LAST.slice(0, -1)}9`,
  `transfers?user_id=user_${LAST.slice(0, -1)}9`,
  `transfers?source=wallet_${LAST.slice(0, -1)}9`,
  'transfers?status=failed',
  'transfers?stuck=true',
  'messages?status=failed',
  'jobs?state=dead',
  'audit_log?actor=seeded',
  'audit_log?action=key.created',
  'audit_log?outcome=ok',
  'audit_log?outcome=refused',
  `audit_log?since=${atHour(COUNT - 3)}`,
  `audit_log?until=${atHour(4)}`,
  `audit_log?actor=unknown&since=${atHour(COUNT - 3)}`,
];

describe('a list of the management API', () => {
  it.each(PAGED)('%s comes newest first, page by page, and ends', async (list) => {
    const first = await get(`/${list}?limit=3`);
    expect(first.status).toBe(200);
    expect(first.body.has_more).toBe(true);
    const all = keysOf(first);
    for (let page = 0; page < 2; page++) {
      const next = await get(`/${list}?limit=3&starting_after=${all.at(-1)}`);
      all.push(...keysOf(next));
    }
    expect(all).toHaveLength(9);
    expect(all).toEqual(all.toSorted().toReversed());
    const end = await get(`/${list}?limit=100&starting_after=${all[0]!.split('_')[0]}_${'0'.repeat(24)}50`);
    expect(end.body.has_more).toBe(false);
  });

  it.each(PAGED)('%s shows nothing of another app with any cursor', async (list) => {
    const own = keysOf(await get(`/${list}?limit=100`));
    const [cursor] = keysOf(await get(`/${list}?limit=1`, stranger.id));
    const answer = await get(`/${list}?limit=100&starting_after=${cursor}`);
    expect(answer.status).toBe(200);
    for (const item of itemsOf(answer)) expect((item as { app_id?: string }).app_id ?? app.id).toBe(app.id);
    if (list === 'jobs') expect(keysOf(answer).every((id) => id.startsWith('job_0'))).toBe(true);
    expect(own.length).toBeGreaterThan(3);
  });

  it.each(LISTS)('%s of an unknown or deleted app is not found', async (list) => {
    const gone = await service.given.app();
    await call('DELETE', '', gone.id);
    for (const id of [gone.id, `app_${LAST}`, 'app_x', user, '%00', '..%2f..'])
      expect([id, (await get(`/${list}`, id)).body.error_type]).toEqual([
        id,
        id === '%00' ? 'invalid_request' : 'app_not_found',
      ]);
  });

  it.each(FILTERED)('%s takes two statements at most, which read a page through an index', async (list) => {
    const [first, ...rest] = list.split('?');
    const prefix =
      { users: 'user', sessions: 'sess', jobs: 'job', messages: 'msg' }[first!] ?? first!.replace(/s$/, '');
    const cursor = `starting_after=${first === AUDIT_LOG ? entryOf(4_000) : `${prefix}_${'0'.repeat(22)}4000`}`;
    for (const query of [[...rest], [...rest, cursor]]) {
      const path = `/${first}?${['limit=10', ...query].join('&')}`;
      await get(path);
      const sent = (await roundTripsOf(() => get(path))).flat().filter((statement) => !isRemembered(statement));
      expect(sent.length).toBeLessThanOrEqual(2);
      for (const statement of sent) {
        const plan = await planOf(service, statement);
        const scans = nodesOf(plan).filter((node) => /Seq Scan/.test(node['Node Type']) && rowsRead(node) > 20);
        expect([path, scans.map((node) => node['Relation Name'])]).toEqual([path, []]);
        const sorts = nodesOf(plan).filter((node) => node['Node Type'] === 'Sort' && node['Actual Rows'] > 20);
        expect([path, sorts]).toEqual([path, []]);
        expect([path, rowsRead(plan) < 200]).toEqual([path, true]);
      }
    }
  });
});

describe('the audit log', () => {
  it('is filtered by its times exactly, and by all filters together', async () => {
    const ids = async (query: string) => keysOf(await get(`/audit_log?${query}`));
    const range = `since=${atHour(5)}&until=${atHour(9)}`;
    expect(await ids(range)).toEqual([8, 7, 6, 5].map(entryOf));
    expect(await ids(`${range}&starting_after=${entryOf(7)}`)).toEqual([6, 5].map(entryOf));
    expect(await ids(`${range}&outcome=refused`)).toEqual([8, 6, 5].map(entryOf));
    expect(await ids(`${range}&outcome=ok&actor=seeded&action=key.created`)).toEqual([entryOf(7)]);
    expect(await ids(`${range}&outcome=refused&action=key.created`)).toEqual([]);
    expect(await ids(`until=${atHour(2)}`)).toEqual([entryOf(1)]);
    expect(await ids(`since=${atHour(9)}&until=${atHour(5)}`)).toEqual([]);
  });
});

describe('a user for operators', () => {
  it('is shown with live sessions, wallets and identities, never with tokens', async () => {
    const { session } = await signIn(service, app, { user_id: user });
    const { body, status } = await get(`/users/${user}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ user_id: user, wallets: [{ user_id: user }], totps: [], idp_providers: [] });
    const listed = await service.call('GET', `/v1/auth/sessions/list?user_id=${user}`, { key: app.secretKey });
    expect(body.sessions).toEqual(listed.body.sessions);
    expect(JSON.stringify(body)).not.toContain(session!.session_token);
    const plain = await service.call('GET', `/v1/auth/users/${user}`, { key: app.secretKey });
    expect(plain.body.sessions).toBeUndefined();
  });

  it('is unknown in another app', async () => {
    expect((await get(`/users/${user}`, stranger.id)).body.error_type).toBe('user_not_found');
    expect((await get(`/users/${user}/events`, stranger.id)).body.error_type).toBe('user_not_found');
    expect((await get(`/sessions?user_id=${user}`, stranger.id)).body.error_type).toBe('user_not_found');
    expect((await get('/users/search')).body.error_type).toBe('method_not_allowed');
  });

  it('is found by a search, in the own app only, and not by an auditor', async () => {
    const body = { filters: { fields: [{ field: 'user_id', operator: 'eq', value: user }] } };
    expect(keysOf(await call('POST', '/users/search', app.id, body))).toEqual([user]);
    expect(keysOf(await call('POST', '/users/search', stranger.id, body))).toEqual([]);
    expect((await call('POST', '/users/search', app.id, body, auditor)).body.error_type).toBe('missing_role');
    expect((await call('POST', '/users/search', `app_${LAST}`, body)).body.error_type).toBe('app_not_found');
  });

  it('has events, newest first, also after a deletion', async () => {
    const { user_id } = await service.given.user(app);
    for (let i = 0; i < 3; i++) await signIn(service, app, { user_id });
    await service.call('DELETE', `/v1/auth/users/${user_id}/delete`, { key: app.secretKey });
    const all = await eventually(async () => {
      const { body } = await get(`/users/${user_id}/events?limit=100`);
      expect(body.events[0].type).toMatch(/^(user\.deleted|session\.revoked)$/);
      expect(body.events.some(({ type }: { type: string }) => type === 'user.deleted')).toBe(true);
      return body.events as { id: string; position: number; data: { user_id: string } }[];
    });
    expect(all.every(({ data }) => data.user_id === user_id)).toBe(true);
    expect(all.map(({ position }) => position)).toEqual(all.map(({ position }) => position).toSorted((a, b) => b - a));
    const next = await get(`/users/${user_id}/events?limit=2&starting_after=${all[1]!.id}`);
    expect(next.body).toEqual({ events: all.slice(2, 4), has_more: all.length > 4 });
    const foreign = await get(`/users/${user_id}/events?starting_after=${all[1]!.id}`, stranger.id);
    expect(foreign.body.error_type).toBe('invalid_cursor');
    const unknown = await get(`/users/${user_id}/events?starting_after=${newId('event')}`);
    expect(unknown.body.error_type).toBe('invalid_cursor');
  });

  it('has its latest events with their data, by type and page by page', async () => {
    const { user_id } = await service.given.user(app);
    for (let i = 0; i < 3; i++) await signIn(service, app, { user_id });
    const events = async (query: string, of = app.id) => (await get(`/events?${query}`, of)).body;
    // It waits for all three, because the sequencer may number them one by one.
    await eventually(async () => {
      const { events: found } = await events('limit=3');
      expect(found).toEqual(
        Array(3).fill(expect.objectContaining({ type: 'session.created', data: expect.objectContaining({ user_id }) })),
      );
    });
    const all = (await events('limit=100')).events as { id: string; type: string; position: number }[];
    expect(all.map(({ position }) => position)).toEqual(all.map(({ position }) => position).toSorted((a, b) => b - a));
    const first = await events('limit=2');
    expect(first).toEqual({ events: all.slice(0, 2), has_more: true });
    expect((await events(`limit=2&starting_after=${all[1]!.id}`)).events).toEqual(all.slice(2, 4));
    const wanted = ['user.created', 'session.created'];
    const ofTypes = all.filter(({ type }) => wanted.includes(type));
    expect((await events(`limit=100&types=${wanted.join()}`)).events.slice(0, ofTypes.length)).toEqual(ofTypes);
    expect((await events('types=nonsense')).error_type).toBe('invalid_request');
    expect((await events(`starting_after=${all[1]!.id}`, stranger.id)).error_type).toBe('invalid_cursor');
  });

  it('has events of the types that are asked for, page by page', async () => {
    const { user_id } = await service.given.user(app);
    for (let i = 0; i < 3; i++) await signIn(service, app, { user_id });
    await service.call('DELETE', `/v1/auth/users/${user_id}/delete`, { key: app.secretKey });
    const events = async (query: string) => (await get(`/users/${user_id}/events?limit=2&${query}`)).body;
    const all = await eventually(async () => {
      const { body } = await get(`/users/${user_id}/events?limit=100`);
      expect(body.events.some(({ type }: { type: string }) => type === 'user.deleted')).toBe(true);
      return body.events as { id: string; type: string }[];
    });
    const ofTypes = (...types: string[]) => all.filter(({ type }) => types.includes(type));
    const logins = ofTypes('session.created');
    expect(logins).toHaveLength(3);
    expect(await events('types=session.created')).toEqual({ events: logins.slice(0, 2), has_more: true });
    expect(await events(`types=session.created&starting_after=${logins[1]!.id}`)).toEqual({
      events: logins.slice(2),
      has_more: false,
    });
    expect(await events('types=user.created,user.deleted,user.created')).toEqual({
      events: ofTypes('user.created', 'user.deleted'),
      has_more: false,
    });
    expect(await events('types=transfer.failed')).toEqual({ events: [], has_more: false });
    expect((await get(`/users/${user_id}/events?types=user.created`, stranger.id)).body.error_type).toBe(
      'user_not_found',
    );
    for (const [types, unknown] of [
      ['user.exploded', '"user.exploded"'],
      ['user.created,', '""'],
      ['', '""'],
    ]) {
      const refused = await get(`/users/${user_id}/events?types=${types}`);
      expect([refused.status, refused.body.errors[0]]).toEqual([
        400,
        {
          field: 'types',
          rule: 'exists',
          message: `names ${unknown}, which is not an event type; GET /v1/event_types lists them`,
        },
      ]);
    }
  });
});

describe('sessions for operators', () => {
  it('are active, expired or revoked', async () => {
    await observer.rows(`update sessions set revoked_at = now() where app_id = $1 and id = $2`, [
      app.id,
      `sess_${LAST.slice(0, -4)}5000`,
    ]);
    const states = async (after: number) =>
      (await get(`/sessions?limit=1&starting_after=sess_${String(after).padStart(26, '0')}`)).body.sessions[0].status;
    expect([await states(5_001), await states(4_900), await states(10)]).toEqual(['revoked', 'active', 'expired']);
  });

  it('end one by one', async () => {
    const { session } = await signIn(service, app, { user_id: user });
    const body = { session_token: session!.session_token };
    const verify = () => service.call('POST', '/v1/auth/sessions/verify', { key: app.secretKey, body });
    const path = `/sessions/${session!.id}`;
    expect((await call('DELETE', path, stranger.id)).body.error_type).toBe('session_not_found');
    expect((await call('DELETE', path, app.id, undefined, auditor)).body.error_type).toBe('missing_role');
    expect((await verify()).status).toBe(200);
    const ends = await Promise.all([1, 2, 3].map(() => call('DELETE', path)));
    expect(ends.map(({ status }) => String(status)).toSorted()).toEqual(['200', '404', '404']);
    expect((await verify()).status).toBe(401);
    const log = await get('/audit_log?limit=5');
    expect(log.text.split('"session.revoked"')).toHaveLength(2);
    expect(log.text).toContain(session!.id);
  });

  it('of a user end together', async () => {
    const { user_id } = await service.given.user(app);
    const issued = [await signIn(service, app, { user_id }), await signIn(service, app, { user_id })];
    const path = `/users/${user_id}/sessions`;
    expect((await call('DELETE', path, stranger.id)).body.error_type).toBe('user_not_found');
    expect((await call('DELETE', path, app.id, undefined, auditor)).status).toBe(403);
    expect((await get(`/sessions?user_id=${user_id}`)).body.sessions).toHaveLength(2);
    expect((await call('DELETE', path)).status).toBe(200);
    for (const { session_token } of issued) {
      const verified = await service.call('POST', '/v1/auth/sessions/verify', {
        key: app.secretKey,
        body: { session_token },
      });
      expect(verified.status).toBe(401);
    }
    expect((await get(`/sessions?user_id=${user_id}`)).body.sessions).toEqual([]);
    expect((await call('DELETE', `/users/user_${'z'.repeat(26)}/sessions`)).status).toBe(404);
    expect((await get('/audit_log?limit=5')).text).toContain('user.sessions_revoked');
  });
});

describe('messages for operators', () => {
  it('say to whom and how often, never what', async () => {
    const email = `${randomUUID()}@example.com`;
    const path = '/v1/auth/otps/email/login_or_create';
    const { message } = await inbox.after(email, () =>
      service.call('POST', path, { key: app.secretKey, body: { email } }),
    );
    const [sent] = await eventually(async () => {
      const { body } = await get('/messages?limit=1');
      expect(body.messages[0].status).toBe('sent');
      return body.messages;
    });
    expect(sent).toEqual({
      id: expect.stringMatching(/^msg_/),
      channel: 'mail',
      kind: 'one_time_code',
      recipient: email,
      status: 'sent',
      attempts: 1,
      last_error: '',
      created_at: expect.any(Number),
      sent_at: expect.any(Number),
    });
    expect(JSON.stringify(await observer.rows(`select * from messages where id = $1`, [sent.id]))).not.toContain(
      codeIn(message),
    );
  });
});

describe('transfers for operators', () => {
  const own = `transfer_${'0'.repeat(22)}6000`;
  it('say what they wait for, and are cancelled by operators', async () => {
    await observer.rows(
      `insert into transfers (app_id, id, user_id, status, source, source_address, dest, chain, network, currency, symbol,
         decimals, amount, fee_cap, notes, expires_at, history)
       select app_id, $2, user_id, 'unconfirmed', source, source_address, dest, chain, network, currency, symbol, decimals, amount,
         fee_cap, notes, now() + interval '1 hour', database_history() from transfers where app_id = $1 limit 1`,
      [app.id, own],
    );
    await signRows(service, 'transfers');
    expect((await get(`/transfers/${own}`)).body).toMatchObject({
      next_step: 'confirmation',
      next_check_at: 0,
      network: 'ethereum',
      network_id: 'eip155:1',
    });
    expect(itemsOf(await get('/transfers?limit=1'))).toMatchObject([{ id: own, network: 'ethereum' }]);
    expect((await get(`/transfers/${own}`, stranger.id)).body.error_type).toBe('transfer_not_found');
    await observer.rows(`update transfers set next_check_at = now() where app_id = $1 and status = 'failed'`, [app.id]);
    expect(itemsOf(await get('/transfers?status=failed'))).toMatchObject([{ next_step: 'none', next_check_at: 0 }]);
    const cancel = (appId?: string, key?: string) => call('POST', `/transfers/${own}/cancel`, appId, undefined, key);
    expect((await cancel(stranger.id)).body.error_type).toBe('transfer_not_found');
    expect((await cancel(app.id, auditor)).body.error_type).toBe('missing_role');
    expect((await get(`/transfers/${own}`)).body.status).toBe('unconfirmed');
    const cancelled = await cancel();
    expect(cancelled.body).toMatchObject({ status: 'cancelled', next_step: 'none' });
    expect((await cancel()).body.status).toBe('cancelled');
    expect((await get('/audit_log?limit=5')).text.split('transfer.cancel_requested')).toHaveLength(2);
    const expired = await call('POST', `/transfers/transfer_${LAST.slice(0, -1)}9/cancel`);
    expect(expired.status).toBe(409);
  });
});

describe('stuck transfers for operators', () => {
  const numbers = async (filters: string): Promise<number[]> =>
    keysOf(await get(`/transfers?stuck=true${filters}`)).map((id) => Number(id.split('_')[1]));

  it('are listed alone, page by page and with the other filters', async () => {
    expect(await numbers('')).toEqual([9, 7]);
    const first = await get('/transfers?stuck=true&limit=1');
    expect(first.body.has_more).toBe(true);
    expect(await numbers(`&limit=1&starting_after=${keysOf(first)[0]}`)).toEqual([7]);
    expect(await numbers('&status=failed')).toEqual([7]);
    expect(await numbers(`&user_id=user_${LAST.slice(0, -1)}9`)).toEqual([9]);
    expect(await numbers(`&source=wallet_${LAST.slice(0, -1)}1`)).toEqual([]);
    for (const transfer of itemsOf(await get('/transfers?stuck=true')) as unknown as { stuck_since: number }[])
      expect(transfer.stuck_since).toBeGreaterThan(0);
  });

  it('are found by the hash of a transaction, in the own app only', async () => {
    const [hash, id] = [`0x${'5e'.repeat(32)}`, `transfer_${LAST.slice(0, -1)}7`];
    await observer.rows(
      `insert into transfer_attempts (app_id, network, hash, transfer_id, kind, ordinal, address, raw, max_fee)
       values ($1, 'eip155:1', $2, $3, 'payment', 1, '0x1', '', 1)`,
      [app.id, hash, id],
    );
    expect(keysOf(await get(`/transfers?blockchain_tx_hash=${hash}`))).toEqual([id]);
    expect(keysOf(await get(`/transfers?blockchain_tx_hash=${hash}`, stranger.id))).toEqual([]);
    expect(keysOf(await get(`/transfers?blockchain_tx_hash=${hash}&status=cancelled`))).toEqual([]);
  });

  it.each(['false', '0', '', 'yes'])('cannot be left out: stuck=%s is refused', async (value) => {
    const refused = await get(`/transfers?stuck=${value}`);
    expect([refused.status, refused.body.error_type]).toEqual([400, 'invalid_request']);
    expect(refused.body.errors).toEqual([expect.objectContaining({ field: 'stuck' })]);
  });
});

describe('the preview of a template', () => {
  const preview = (body: unknown, key?: string) => call('POST', '/templates/preview', app.id, body, key);

  it('shows the built-in mail, and own texts with escaped values', async () => {
    const builtIn = await preview({ kind: 'magic_link' });
    expect(builtIn.body.text).toContain('https://app.example.com/login?token=sample');
    const own = {
      kind: 'one_time_code',
      name: "Ann O'Hara",
      subject: 'S {{app_name}}',
      text: '{{greeting}} {{code}}',
      html: '<p>{{greeting}} {{code}}</p>',
    };
    expect((await preview(own)).body).toEqual({
      kind: 'one_time_code',
      subject: 'S Acme',
      text: "Hello Ann O'Hara, 123456",
      html: '<p>Hello Ann O&#39;Hara, 123456</p>',
    });
    expect((await get('')).body.messages.templates.one_time_code).toBeNull();
  });

  it('refuses what could not be stored', async () => {
    for (const body of [{ kind: 'sms' }, {}, { kind: '__proto__' }, { kind: 'invite', text: 'x', html: 'x' }])
      expect((await preview(body)).status).toBe(400);
    expect((await preview({ kind: 'invite', text: '{{link}}' })).body.error_type).toBe('invalid_template');
    expect((await preview({ kind: 'invite' }, auditor)).body.error_type).toBe('missing_role');
  });
});

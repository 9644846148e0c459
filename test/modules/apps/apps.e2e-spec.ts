import { DomainEvents } from '../../../src/kernel/domain-events.js';
import { newId } from '../../../src/kernel/ids.js';
import { AppDeleted, AppInUse } from '../../../src/modules/apps/index.js';
import { ManagementKeys } from '../../../src/modules/apps/application/management-keys.js';
import { Database } from '../../../src/postgres/database.js';
import { type Call, MANAGEMENT_KEY, startApp, type TestApp } from '../../support/app.js';
import { patiently } from '../../support/eventually.js';
import { signRows } from '../../support/row-macs.js';

let service: TestApp;
beforeAll(async () => {
  service = await startApp();
});
afterAll(() => service.stop());

const manage = (method: string, path: string, call: Call = {}) =>
  service.call(method, `/management/v1${path}`, { key: MANAGEMENT_KEY, ...call });

describe('an app', () => {
  it('is created with defaults, one secret key and one public token that work', async () => {
    const { status, body } = await manage('POST', '/apps', { body: { name: 'Acme' } });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: expect.stringMatching(/^app_[0-9a-z]{26}$/),
      name: 'Acme',
      mode: 'test',
      default_wallet_type: 'ethereum',
      allowed_origins: [],
      limits: {
        secret_key_calls_per_second: 5000,
        recipient_sends_per_ten_minutes: 10,
        sends_per_hour: 10_000,
        wrong_tries_per_code: 5,
        wrong_tries_per_hour: 20,
        lock_minutes: 15,
        sessions_per_user: 100,
        stored_answers_mb: 4096,
        sms_countries: ['*'],
      },
      secret_key: expect.stringMatching(/^sk_test_[0-9A-Za-z]{48}$/),
      public_token: expect.stringMatching(/^pk_test_[0-9A-Za-z]{48}$/),
    });
    expect(body.created_at).toBeGreaterThan(1_700_000_000);
    expect((await service.call('GET', '/v1/auth/oauth_connections/list', { key: body.secret_key })).status).toBe(200);
  });

  it('in live mode has live keys and sends no SMS until it names countries', async () => {
    const { body } = await manage('POST', '/apps', { body: { name: 'Acme', mode: 'live' } });
    expect(body.secret_key).toMatch(/^sk_live_/);
    expect(body.public_token).toMatch(/^pk_live_/);
    expect(body.limits.sms_countries).toEqual([]);
    const patched = await manage('PATCH', `/apps/${body.id}`, { body: { limits: { sms_countries: ['DE', 'AT'] } } });
    expect(patched.body.limits.sms_countries).toEqual(['DE', 'AT']);
  });

  it('never shows its keys again', async () => {
    const app = await service.given.app();
    for (const path of ['/apps', `/apps/${app.id}`, `/apps/${app.id}/keys`, `/apps/${app.id}/audit_log`]) {
      const { text } = await manage('GET', path);
      expect(text).not.toContain(app.secretKey);
      expect(text).not.toContain(app.publicToken);
    }
  });

  it('keeps what a PATCH does not mention, and takes null for a limit as its default again', async () => {
    const { id } = await service.given.app({ name: 'Before', allowed_origins: ['https://a.example'] });
    await manage('PATCH', `/apps/${id}`, { body: { limits: { sends_per_hour: 7, lock_minutes: 3 } } });
    await manage('PATCH', `/apps/${id}`, { body: { name: 'After', limits: { sends_per_hour: null } } });
    const { body } = await manage('GET', `/apps/${id}`);
    expect(body).toMatchObject({
      name: 'After',
      allowed_origins: ['https://a.example'],
      limits: { sends_per_hour: 10_000, lock_minutes: 3 },
    });
  });

  it.each([
    ['allowed_origins', ['https://a.example'], []],
    ['assets', [{ chain: 'ethereum', name: 'coin', symbol: 'COIN', decimals: 6, token: `0x${'a'.repeat(40)}` }], []],
    ['accept_confirmed', [{ currency: 'solana', max_amount: '1' }], []],
    [
      'transfer_policy',
      {
        allowed_destinations: [],
        max_amounts: [{ currency: 'solana', max_amount: '1' }],
        max_fees: [{ currency: 'ethereum', max_fee: '1' }],
      },
      { allowed_destinations: null, max_amounts: [], max_fees: [] },
    ],
    [
      'messages',
      {
        sender_name: 'Acme',
        sender_address: 'mail@a.example',
        web_domain: 'a.example',
        templates: { magic_link: { subject: 'Go' }, sms: { text: '{{code}}' } },
      },
      {
        sender_name: null,
        sender_address: null,
        web_domain: null,
        templates: {
          magic_link: null,
          invite: null,
          one_time_code: null,
          sms: null,
          recovery_begun: null,
          sign_in_method_added: null,
          sign_in_method_removed: null,
        },
      },
    ],
  ])('empties %s by null in a PATCH, and is created without it by null', async (field, value, empty) => {
    const { body: created } = await manage('POST', '/apps', { body: { name: 'A', [field]: null } });
    expect(created[field]).toEqual(empty);
    const path = `/apps/${created.id}`;
    expect((await manage('PATCH', path, { body: { [field]: value } })).body[field]).not.toEqual(empty);
    expect((await manage('PATCH', path, { body: { [field]: null } })).body[field]).toEqual(empty);
    expect((await manage('GET', path)).body[field]).toEqual(empty);
  });

  it('keeps its signing policy when null removes its transfer policy', async () => {
    const { id } = await service.given.app({ transfer_policy: { allowed_destinations: [] } });
    const { body } = await manage('PATCH', `/apps/${id}`, { body: { transfer_policy: null } });
    expect(body.signing_policy).toMatchObject({ typed_data: 'listed', allows_export: false });
  });

  it('keeps the symbol of a coin in bounds on amounts, and takes it for a network in bounds on fees', async () => {
    const { id } = await service.given.app();
    const policy = {
      max_amounts: [
        { currency: 'ETH', max_amount: '1' },
        { currency: 'sol', max_amount: '2' },
        { currency: 'USDC', max_amount: '3' },
      ],
      max_fees: [{ currency: 'ETH', max_fee: '0.1' }],
    };
    const { body } = await manage('PATCH', `/apps/${id}`, { body: { transfer_policy: policy } });
    expect(body.transfer_policy).toMatchObject({
      max_amounts: [
        { currency: 'eth', max_amount: '1' },
        { currency: 'sol', max_amount: '2' },
        { currency: 'usdc', max_amount: '3' },
      ],
      max_fees: [{ currency: 'ethereum', max_fee: '0.1' }],
    });
  });

  it.each([
    ['max_amounts', 'max_amount', ['ETH', 'eth']],
    ['max_fees', 'max_fee', ['ethereum', 'ETH']],
  ])('is refused with two %s of a currency, of which one would count for nothing', async (list, bound, currencies) => {
    const items = currencies.map((currency, index) => ({ currency, [bound]: String(index + 1) }));
    const answer = await manage('POST', '/apps', { body: { name: 'A', transfer_policy: { [list]: items } } });
    expect([answer.status, answer.body.errors?.[0].field]).toEqual([400, `transfer_policy.${list}`]);
  });

  it('accepts payments in a block by the names of its currencies, among them those of the same call', async () => {
    const { id } = await service.given.app();
    const token = `0x${'a'.repeat(40)}`;
    const { body } = await manage('PATCH', `/apps/${id}`, {
      body: {
        assets: [{ chain: 'ethereum', name: 'usd-coin', symbol: 'USDC', decimals: 6, token }],
        accept_confirmed: [
          { currency: 'eth', max_amount: '0.5' },
          { currency: 'USDC', max_amount: '100.000001' },
        ],
      },
    });
    expect(body.accept_confirmed).toEqual([
      { currency: 'ethereum', max_amount: '0.5' },
      { currency: 'usd-coin', max_amount: '100.000001' },
    ]);
    expect((await manage('GET', `/apps/${id}`)).body.accept_confirmed).toEqual(body.accept_confirmed);
  });

  it.each([
    ['an unknown currency', [{ currency: 'dogecoin', max_amount: '1' }], 'accept_confirmed'],
    ['more decimals than the currency has', [{ currency: 'solana', max_amount: '0.0000000001' }], 'accept_confirmed'],
    ['a currency twice', ['ETH', 'ethereum'].map((currency) => ({ currency, max_amount: '1' })), 'accept_confirmed'],
    ['no number', [{ currency: 'solana', max_amount: '1e3' }], 'accept_confirmed[0].max_amount'],
  ])('accepts no payments in a block with %s', async (_, accept_confirmed, field) => {
    const { id } = await service.given.app();
    const answer = await manage('PATCH', `/apps/${id}`, { body: { accept_confirmed } });
    expect([answer.status, answer.body.errors?.[0].field]).toEqual([400, field]);
    expect((await manage('GET', `/apps/${id}`)).body.accept_confirmed).toEqual([]);
  });

  it('changes neither mode, id nor time of creation by PATCH', async () => {
    const { id } = await service.given.app();
    const before = (await manage('GET', `/apps/${id}`)).body;
    await manage('PATCH', `/apps/${id}`, { body: { mode: 'live', id: newId('app'), created_at: 1, deleted_at: 1 } });
    const after = (await manage('GET', `/apps/${id}`)).body;
    expect(after).toEqual({ ...before, updated_at: after.updated_at });
  });

  it.each([
    [{ name: '' }, 'name'],
    [{ name: '   ' }, 'name'],
    [{ name: 'x'.repeat(257) }, 'name'],
    [{ name: 7 }, 'name'],
    [{ name: 'a\u0000b' }, 'name'],
    [{}, 'name'],
    [{ name: 'A', mode: 'production' }, 'mode'],
    [{ name: 'A', default_wallet_type: 'bitcoin' }, 'default_wallet_type'],
    [{ name: 'A', allowed_origins: 'https://a.example' }, 'allowed_origins'],
    [{ name: 'A', limits: { lock_minutes: 0 } }, 'limits.lock_minutes'],
    [{ name: 'A', limits: { secret_key_calls_per_second: '1e9' } }, 'limits.secret_key_calls_per_second'],
    [{ name: 'A', limits: { sms_countries: ['Germany'] } }, 'limits.sms_countries[0]'],
  ])('is refused with %j, naming the field', async (body, field) => {
    const answer = await manage('POST', '/apps', { body });
    expect(answer.status).toBe(400);
    // A NUL is refused for the whole body, before any field is known.
    if (answer.body.error_type === 'invalid_request') expect(answer.body.errors[0].field).toBe(field);
    else expect(JSON.stringify(body)).toContain('\\u0000');
  });

  it.each([
    'https://a.example/',
    'https://a.example/path',
    'https://*.a.example',
    'https://A.example',
    'https://a.example:443',
    'https://user@a.example',
    'null',
    '*',
    'file:///etc/passwd',
    'chrome-extension://abc',
  ])('does not take %s for an allowed origin', async (origin) => {
    const { status, body } = await manage('POST', '/apps', { body: { name: 'A', allowed_origins: [origin] } });
    expect([status, body.error_type]).toEqual([400, 'invalid_allowed_origin']);
  });

  it('takes http origins only on loopback when it is live', async () => {
    const create = (origin: string, mode: string) =>
      manage('POST', '/apps', { body: { name: 'A', mode, allowed_origins: [origin] } });
    expect((await create('http://a.example', 'live')).status).toBe(400);
    expect((await create('http://localhost.a.example:3000', 'live')).status).toBe(400);
    expect((await create('http://localhost:3000', 'live')).status).toBe(200);
    expect((await create('http://a.example', 'test')).status).toBe(200);
  });
});

describe('a management key', () => {
  it('is refused after its end', async () => {
    const key = async (seconds: number) => {
      const options = { name: 'ops', role: 'auditor', expiresAt: new Date(Date.now() + 3_600_000) } as const;
      const made = await service.nest.get(ManagementKeys).create({ actor: 'cli', requestId: null, ip: null }, options);
      const end = `update management_keys set expires_at = now() + make_interval(secs => $2) where id = $1`;
      await service.nest.get(Database).write(end, [made.id, seconds]);
      await signRows(service, 'management_keys');
      return made.key;
    };
    expect((await manage('GET', '/apps', { key: await key(600) })).status).toBe(200);
    expect((await manage('GET', '/apps', { key: await key(-1) })).status).toBe(401);
  });
});

describe('the list of apps', () => {
  it('is paged newest first, and a cursor works after its app is gone', async () => {
    const made: string[] = [];
    for (let i = 0; i < 5; i++) made.unshift((await service.given.app({ name: `Page ${i}` })).id);
    const first = await manage('GET', '/apps', { query: { limit: '2' } });
    expect(first.body.apps.map(({ id }: { id: string }) => id)).toEqual(made.slice(0, 2));
    expect(first.body.has_more).toBe(true);
    await manage('DELETE', `/apps/${made[1]}`);
    const second = await manage('GET', '/apps', { query: { limit: '2', starting_after: made[1] as string } });
    expect(second.body.apps.map(({ id }: { id: string }) => id)).toEqual(made.slice(2, 4));
  });

  it('is filtered by a part of the name, page by page', async () => {
    const made: string[] = [];
    for (const name of ['Corner Shop', 'Other', 'shop & co', 'SHOP_%'])
      made.unshift((await service.given.app({ name: `Filtered ${name}` })).id);
    const [third, second, , first] = made;
    const list = async (query: Record<string, string>) => {
      const { body } = await manage('GET', '/apps', { query });
      return [body.apps.map(({ id }: { id: string }) => id), body.has_more];
    };
    expect(await list({ name: 'D SHOP' })).toEqual([[third, second], false]);
    expect(await list({ name: 'shop', limit: '2' })).toEqual([[third, second], true]);
    expect(await list({ name: 'shop', limit: '2', starting_after: second! })).toEqual([[first], false]);
    expect(await list({ name: 'p_%' })).toEqual([[third], false]);
    expect(await list({ name: 'p__' })).toEqual([[], false]);
  });

  it.each(['keys', 'redirect_urls'])('has apps whose %s are filtered by kind', async (resource) => {
    const { id } = await service.given.app();
    for (const kind of ['login', 'invite'])
      await manage('POST', `/apps/${id}/redirect_urls`, { body: { kind, url: 'https://shop.example/' } });
    const kinds = async (kind: string) => {
      const { body } = await manage('GET', `/apps/${id}/${resource}`, { query: { kind } });
      return body[resource]?.map((each: { kind: string }) => each.kind) ?? body.error_type;
    };
    const [one, other, unknown] = resource === 'keys' ? ['secret', 'public', 'login'] : ['login', 'invite', 'secret'];
    expect([await kinds(one!), await kinds(other!)]).toEqual([[one], [other]]);
    expect(await kinds(unknown!)).toBe('invalid_request');
  });

  it.each<Record<string, string>>([
    { limit: '0' },
    { limit: '1001' },
    { limit: 'ten' },
    { starting_after: 'user_1' },
    { starting_after: '' },
    { name: '' },
    { name: 'x'.repeat(257) },
  ])('refuses %j', async (query) => {
    expect((await manage('GET', '/apps', { query })).status).toBe(400);
  });
});

describe('deleting an app', () => {
  it('ends its keys and hides it, but leaves its rows and its audit log', async () => {
    const app = await service.given.app();
    const { status, body } = await manage('DELETE', `/apps/${app.id}`);
    expect([status, body.id]).toEqual([200, app.id]);
    expect((await service.call('GET', '/v1/auth/oauth_connections/list', { key: app.secretKey })).status).toBe(401);
    for (const path of ['', '/keys', '/redirect_urls', '/oauth_connections']) {
      const answer = await manage('GET', `/apps/${app.id}${path}`);
      expect([path, answer.status, answer.body.error_type]).toEqual([path, 404, 'app_not_found']);
    }
    expect((await manage('DELETE', `/apps/${app.id}`)).status).toBe(404);
    expect((await manage('PATCH', `/apps/${app.id}`, { body: { name: 'Lazarus' } })).status).toBe(404);
    const log = await manage('GET', `/apps/${app.id}/audit_log`);
    expect(log.body.entries.map(({ action }: { action: string }) => action)).toEqual(['app.deleted', 'app.created']);
    const rows = await service.nest
      .get(Database)
      .write(`select 1 from apps a join api_keys k on k.app_id = a.id where a.id = $1 and a.deleted_at is not null`, [
        app.id,
      ]);
    expect(rows).toHaveLength(2);
  });

  it('is refused as a whole when a subscriber must not lose the app', async () => {
    const app = await service.given.app();
    service.nest.get(DomainEvents).subscribe(AppDeleted, async ({ appId }) => {
      if (appId === app.id) throw new AppInUse('a transfer is pending');
    });
    const { status, body } = await manage('DELETE', `/apps/${app.id}`);
    expect([status, body.error_type]).toEqual([409, 'app_in_use']);
    expect((await service.call('GET', '/v1/auth/oauth_connections/list', { key: app.secretKey })).status).toBe(200);
  });

  it('happens once, however many ask at the same time', async () => {
    const app = await service.given.app();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => patiently(() => manage('DELETE', `/apps/${app.id}`))),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(19);
  });
});

describe('the events of an app', () => {
  it('report its creation and deletion, without secrets', async () => {
    const app = await service.given.app();
    await manage('DELETE', `/apps/${app.id}`);
    const events = await service.nest
      .get(Database)
      .write<{ type: string; data: object }>(
        `select type, data from stored_events where app_id = $1 order by position, seq`,
        [app.id],
      );
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['app.created', 'app.deleted']));
    expect(JSON.stringify(events)).not.toMatch(/[sp]k_test_/);
  });
});

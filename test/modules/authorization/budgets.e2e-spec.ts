import { decodeJwt } from 'jose';
import { freePort } from '../../../src/dev/free-port.js';
import { eventually } from '../../support/eventually.js';
import { Money, newAddress, type Payer } from '../../support/money.js';
import { Observer } from '../../support/observer.js';
import { signRows } from '../../support/row-macs.js';
import { atOnce, signIn } from '../../support/sign-in.js';
import { answer, Browser, CODE, consented, requestOf, Server } from './servers.js';

const FINALITY_DEPTH = 3;

let money: Money;
let observer: Observer;
let base: string;

beforeAll(async () => {
  const port = await freePort();
  base = `http://127.0.0.1:${port}`;
  const env = {
    BASE_URL: base,
    PORT: `${port}`,
    PUBLIC_RATE: '1000',
    TRANSFER_CONFIRM_WAIT_SECONDS: '0',
    TRANSFER_BUMP_AFTER_SECONDS: '60',
    ETHEREUM_FINALITY_DEPTH: `${FINALITY_DEPTH}`,
  };
  money = await Money.start({ ethereum: { blockTime: 'never' }, env });
  observer = await Observer.of(money.app);
});
afterAll(async () => {
  await observer?.close();
  await money?.stop();
});

const SCOPES = ['offline_access', 'transfers:read', 'transfers:write', 'wallets:read', 'wallets:sign'];

interface Given {
  readonly server: Server;
  readonly payer: Payer;
  readonly client: { id: string; secret: string };
  readonly session: string;
}

async function given(): Promise<Given> {
  const payer = await money.payer('ethereum', 10n);
  const server = await Server.of(money.app, payer.app);
  const client = await server.client({ ...CODE, scopes: SCOPES, resources: [base] });
  const { session_token } = await signIn(money.app, payer.app, { user_id: payer.userId });
  return { server, payer, client, session: session_token! };
}

const spend = (walletId: string, changes: object = {}) => ({
  type: 'wallet_spend',
  wallet_id: walletId,
  assets: ['ethereum'],
  windows: [{ seconds: 3_600, max_amount: '0.05' }],
  expires_in: 3_600,
  ...changes,
});
const asking = (...details: object[]) => ({
  scope: 'offline_access transfers:read transfers:write wallets:read wallets:sign',
  authorization_details: JSON.stringify(details),
});

/** The payer, who calls with the token. */
const by = (payer: Payer, secretKey: string): Payer => ({ ...payer, app: { ...payer.app, secretKey } });

async function pay(payer: Payer, source_amount: string, fields: object = {}) {
  const { id } = await money.created(payer, { source_amount, ...fields });
  const { status, body } = await money.confirm(payer, id);
  return [status, body.error_type, body.reason];
}
const DENIED = (reason: string) => [403, 'policy_denied', reason];
const PAID = [200, undefined, undefined];

async function budget(changes: object = {}) {
  const one = await given();
  const details = spend(one.payer.walletId, changes);
  const tokens = await consented(one.server, one.client, one.session, asking(details));
  if (!tokens.access_token) throw new Error(JSON.stringify(tokens));
  return { ...one, details, tokens, agent: by(one.payer, tokens.access_token) };
}

const policies = async ({ server }: Given) =>
  (await server.manage('GET', '/policies?scope=grant')).policies as { id: string; state: string; scope: object }[];

describe('a budget', () => {
  it('is shown as words, and is what the token may pay', async () => {
    const one = await given();
    const dest = newAddress('ethereum');
    const details = spend(one.payer.walletId, { destinations: [dest], networks: ['ethereum'] });
    const { url: page } = await new Browser(one.server).visit(
      requestOf(one.server, one.client.id, asking(details)).url,
    );
    const path = `/v1/oauth2/interactions/${page.searchParams.get('interaction')}`;
    const shown = await money.app.ok('GET', path, { key: one.payer.app.secretKey });
    expect(shown).toMatchObject({ resources: [base], authorization_details: [details] });
    expect(shown.authorization_details[0].description).toBe(
      `Pay from the wallet ${one.payer.walletId} in ethereum on ethereum to ${dest}: at most 0.05 ethereum in any 1 hour, for 1 hour.`,
    );
    const tokens = await consented(one.server, one.client, one.session, asking(details));
    expect(tokens.authorization_details).toEqual([details]);
    const agent = by(one.payer, tokens.access_token);
    expect(await pay(agent, '0.01', { dest })).toEqual(PAID);
    expect((await money.create(agent, { source_amount: '0.01' })).body).toMatchObject({
      error_type: 'policy_denied',
      reason: 'no_rule',
    });
    const grant = decodeJwt(tokens.access_token)['grant_id'];
    const { grants } = await one.server.manage('GET', '/oauth2/grants');
    expect(grants[0]).toMatchObject({ id: grant, authorization_details: [details] });
    expect(grants[0].expires_at - grants[0].created_at).toBeLessThanOrEqual(3_601);
    expect(await policies(one)).toMatchObject([{ state: 'active', scope: { kind: 'grant', id: grant } }]);
    // The owner of the app is not bound by it.
    expect(await pay(one.payer, '1')).toEqual(PAID);
  });

  it('is spent to the unit, however many pay at once, and a refreshed token refills none of it', async () => {
    const { agent, payer, server, client, tokens } = await budget();
    const ids: string[] = [];
    for (let i = 0; i < 8; i++) ids.push((await money.created(agent, { source_amount: '0.02' })).id);
    const answers = await atOnce(ids.length, (index) => money.confirm(agent, ids[index]!));
    const statuses = answers.map((each) => (each.status === 'fulfilled' ? each.value.status : 0));
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 200, ...Array.from({ length: 6 }, () => 403)]);
    const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
    const { body: refreshed } = await server.post('/token', client, form);
    expect(refreshed.authorization_details).toEqual(tokens.authorization_details);
    expect(await pay(by(payer, refreshed.access_token), '0.02')).toEqual(DENIED('window_amount'));
    expect(await pay(by(payer, refreshed.access_token), '0.01')).toEqual(PAID);
  });

  it('is for payments of one wallet, and its token sees no other', async () => {
    const { agent, payer, server } = await budget();
    const call = (method: string, path: string, body?: object) =>
      money.app.call(method, path, { key: agent.app.secretKey, ...(body && { body }) });
    const signed = await call('POST', `/v1/wallets/${payer.walletId}/sign_message`, { message: 'hello' });
    expect([signed.status, signed.body.reason]).toEqual([403, 'no_rule']);
    const { body: second } = await money.app.call('POST', '/v1/wallets/create', {
      key: payer.app.secretKey,
      body: { user_id: payer.userId, wallet_type: 'solana' },
    });
    expect(second.id).toMatch(/^wallet_/);
    expect((await call('GET', `/v1/wallets/${second.id}`)).status).toBe(404);
    expect((await call('GET', `/v1/wallets/${payer.walletId}`)).status).toBe(200);
    const { wallets } = (await call('GET', `/v1/wallets/list?user_id=${payer.userId}`)).body;
    expect(wallets.map(({ id }: { id: string }) => id)).toEqual([payer.walletId]);
    expect(server.issuer).toContain(base);
  });

  it('ends with its grant, and the payments that wait for it too', async () => {
    const one = await budget();
    const { agent, server, tokens } = one;
    const { id } = await money.created(agent, { source_amount: '0.01' });
    const grant = decodeJwt(tokens.access_token)['grant_id'] as string;
    await server.manage('DELETE', `/oauth2/grants/${grant}`);
    expect((await money.confirm(agent, id)).status).toBe(401);
    expect(await policies(one)).toMatchObject([{ state: 'retired' }]);
    const [policy] = await policies(one);
    const again = await money.app.call(
      'POST',
      `/management/v1/apps/${one.payer.app.id}/policies/${policy!.id}/activate`,
      {
        key: money.app.managementKey,
        body: {},
      },
    );
    expect(again.body.error_type).toBe('policy_not_found');
    const events = await observer.events(one.payer.app.id);
    expect(events).toEqual(expect.arrayContaining(['policy.activated', 'grant.revoked', 'policy.retired']));
  });

  it('lets a payment that was signed and counted go on after its end', async () => {
    const one = await budget();
    const { id } = await money.created(one.agent, { source_amount: '0.01' });
    expect((await money.confirm(one.agent, id)).status).toBe(200);
    await one.server.manage('DELETE', `/oauth2/grants/${decodeJwt(one.tokens.access_token)['grant_id'] as string}`);
    expect(await policies(one)).toMatchObject([{ state: 'retired' }]);
    await observer.age(id, 3_600);
    await eventually(async () => {
      await money.look();
      expect((await money.get(one.payer, id)).attempts).toHaveLength(2);
    });
    await eventually(async () => {
      await money.anvil.mine(FINALITY_DEPTH + 1);
      expect((await money.get(one.payer, id)).status).toBe('completed');
    });
  });

  it.each(['its client', 'the server'])(
    'ends at once with %s, and its policies are retired by batches',
    async (what) => {
      const one = await budget();
      const { id } = await money.created(one.agent, { source_amount: '0.01' });
      const grant = decodeJwt(one.tokens.access_token)['grant_id'];
      await observer.rows(
        `insert into policies select (jsonb_populate_record(p, jsonb_build_object('id', 'pol_' || lpad(i::text, 26, '0'), 'name', 'grant_' || lpad(i::text, 26, '0'), 'scope_id', 'grant_' || lpad(i::text, 26, '0')))).*
         from policies p, generate_series(1, 250) i where p.app_id = $1 and p.scope_id = $2`,
        [one.payer.app.id, grant],
      );
      await observer.rows(
        `insert into authorization_grants select (jsonb_populate_record(g, jsonb_build_object('id', 'grant_' || lpad(i::text, 26, '0'), 'granted',
              jsonb_set(g.granted, '{budget,policyId}', to_jsonb('pol_' || lpad(i::text, 26, '0')))))).*
         from authorization_grants g, generate_series(1, 250) i where g.app_id = $1 and g.id = $2`,
        [one.payer.app.id, grant],
      );
      await signRows(money.app, 'policies');
      await signRows(money.app, 'authorization_grants');
      // What pays or ends another budget holds a policy, and the end of all does not wait for it.
      await observer.rows('begin');
      await observer.rows(`select from policies where app_id = $1 and scope_kind = 'grant' for update`, [
        one.payer.app.id,
      ]);
      if (what === 'its client') await one.server.manage('DELETE', `/oauth_clients/${one.client.id}`);
      else await one.server.manage('PATCH', '', { authorization_server: null });
      expect((await money.confirm(one.agent, id)).status).toBe(401);
      await observer.rows('commit');
      await eventually(async () => {
        const sql = `select state, count(*)::int from policies where app_id = $1 and scope_kind = 'grant' group by state`;
        expect(await observer.rows(sql, [one.payer.app.id])).toEqual([{ state: 'retired', count: 251 }]);
      });
      const events = await observer.events(one.payer.app.id);
      expect(events.filter((type) => type === 'policy.retired')).toHaveLength(251);
    },
  );

  it('ends by its time, with its token', async () => {
    const one = await budget({ expires_in: 60 });
    const call = () =>
      money.app.call('GET', `/v1/wallets/${one.payer.walletId}`, { key: one.tokens.access_token as string });
    expect((await call()).status).toBe(200);
    await observer.rows(
      `update authorization_grants set granted = jsonb_set(granted, '{budget,endsAt}', to_jsonb(floor(extract(epoch from now())))) where app_id = $1`,
      [one.payer.app.id],
    );
    await signRows(money.app, 'authorization_grants');
    expect((await call()).status).toBe(401);
    // The job comes at the time that the service stored.
    await observer.rows(`update jobs set due_at = now() where kind = 'authorization.end-budget' and app_id = $1`, [
      one.payer.app.id,
    ]);
    await eventually(async () => expect(await policies(one)).toMatchObject([{ state: 'retired' }]));
  });

  it('is not widened by SQL', async () => {
    const one = await budget();
    await observer.rows(`delete from policies where app_id = $1 and scope_kind = 'grant'`, [one.payer.app.id]);
    expect((await money.create(one.agent)).status).toBe(401);
    const other = await budget();
    await observer.rows(
      `update policies set rules = jsonb_set(rules, '{0,windows}', '[]') where app_id = $1 and scope_kind = 'grant'`,
      [other.payer.app.id],
    );
    expect((await money.create(other.agent)).status).toBeGreaterThanOrEqual(500);
  });

  it('waits for the payment that is being signed, and stops the next one', async () => {
    const one = await budget();
    const { id } = await money.created(one.agent, { source_amount: '0.01' });
    await observer.rows('begin');
    await observer.rows(`select from policies where app_id = $1 and scope_kind = 'grant' for update`, [
      one.payer.app.id,
    ]);
    let isOver = false;
    const paid = money.confirm(one.agent, id).finally(() => (isOver = true));
    await observer.untilWaiting('policies', () => (isOver ? 0 : 1), 2);
    await observer.rows(`update policies set state = 'retired' where app_id = $1 and scope_kind = 'grant'`, [
      one.payer.app.id,
    ]);
    await observer.rows('commit');
    await signRows(money.app, 'policies');
    const { status, body } = await paid;
    expect([status, body.error_type]).not.toEqual([200, undefined]);
  });

  it('pays nothing once its grant has ended, though it was judged before', async () => {
    const one = await budget();
    const { id } = await money.created(one.agent, { source_amount: '0.01' });
    await observer.rows('begin');
    await observer.rows('delete from authorization_grants where app_id = $1', [one.payer.app.id]);
    let isOver = false;
    const paid = money.confirm(one.agent, id).finally(() => (isOver = true));
    await observer.untilWaiting('authorization_grants', () => (isOver ? 0 : 1), 2);
    await observer.rows('commit');
    expect((await paid).status).not.toBe(200);
    expect((await money.get(one.payer, id)).attempts).toEqual([]);
  });

  it.each<[string, object[], string]>([
    ['id that is none', [{ ...spend('wallet_1') }], 'invalid_authorization_details'],
    [
      'unknown member',
      [{ ...spend('wallet_00000000000000000000000000'), amount: '1' }],
      'invalid_authorization_details',
    ],
    [
      'budget without a window',
      [spend('wallet_00000000000000000000000000', { windows: [] })],
      'invalid_authorization_details',
    ],
    [
      'unknown asset',
      [spend('wallet_00000000000000000000000000', { assets: ['gold'] })],
      'invalid_authorization_details',
    ],
    [
      'end in a year',
      [spend('wallet_00000000000000000000000000', { expires_in: 31_536_000 })],
      'invalid_authorization_details',
    ],
    ['another type', [{ type: 'payment' }], 'invalid_authorization_details'],
    [
      'two budgets',
      [spend('wallet_00000000000000000000000000'), spend('wallet_00000000000000000000000000')],
      'invalid_authorization_details',
    ],
  ])('is refused with %s', async (_, details, error) => {
    const { server, client } = await given();
    const { url } = await new Browser(server).visit(requestOf(server, client.id, asking(...details)).url);
    expect(url.searchParams.get('error')).toBe(error);
  });

  it('needs the consent of the owner of the wallet, at the authorization endpoint', async () => {
    const [one, other] = [await given(), await given()];
    const stranger = await money.payer('ethereum', 1n, one.payer.app);
    for (const walletId of [other.payer.walletId, stranger.walletId]) {
      const { url: page } = await new Browser(one.server).visit(
        requestOf(one.server, one.client.id, asking(spend(walletId))).url,
      );
      const refused = await answer(one.server, page, 'accept', { session_token: one.session });
      expect([refused.status, refused.body.errors?.[0]?.field]).toEqual([400, 'authorization_details[0].wallet_id']);
    }
    expect(await policies(one)).toEqual([]);
    const machine = await one.server.client({ scopes: SCOPES, resources: [base] });
    const { body } = await one.server.token(machine, {
      resource: base,
      authorization_details: JSON.stringify([spend(one.payer.walletId)]),
    });
    expect(body.error).toBe('invalid_authorization_details');
  });
});

describe('the policy of a client that stands for no user', () => {
  it('is what its tokens may pay in all, also those of later', async () => {
    const { server, payer } = await given();
    const client = await server.client({ scopes: SCOPES, resources: [base], default_resource: base });
    const match = { operations: ['transfer'], assets: ['ethereum'] };
    const windows = [{ seconds: 3_600, max_amount: '0.05', per: 'policy' }];
    const rules = [{ effect: 'allow', match, windows }];
    const policy = { name: 'Agent', scope: { kind: 'client', id: client.id }, rules };
    const { id } = await server.manage('POST', '/policies', policy);
    await server.manage('POST', `/policies/${id}/activate`, {});
    const agent = () =>
      eventually(async () => {
        const { access_token, scope } = (await server.token(client)).body;
        expect(scope).toContain('transfers:write');
        return by(payer, access_token);
      });
    const first = await agent();
    expect(await pay(first, '0.03')).toEqual(PAID);
    expect(await pay(await agent(), '0.03')).toEqual(DENIED('window_amount'));
    expect(await pay(await agent(), '0.02')).toEqual(PAID);
    // The app itself is not bound by it.
    expect(await pay(payer, '0.03')).toEqual(PAID);
    await server.manage('POST', `/policies/${id}/retire`, {});
    await eventually(async () => expect((await money.create(first)).body.error_type).toBe('missing_scope'));
  });
});

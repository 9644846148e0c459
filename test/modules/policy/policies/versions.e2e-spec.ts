import { newId } from '../../../../src/kernel/ids.js';
import { type Answer, startApp, type TestApp } from '../../../support/app.js';
import { Observer } from '../../../support/observer.js';
import { asking, type Fields, PolicyApp } from '../policies.js';
import { signRows } from '../../../support/row-macs.js';

let app: TestApp;
let replica: TestApp;
let observer: Observer;
let acme: PolicyApp;
let other: PolicyApp;
beforeAll(async () => {
  app = await startApp({ env: { ROLE: 'api' } });
  replica = await startApp({ databaseUrl: app.databaseUrl, env: { ROLE: 'api' } });
  observer = await Observer.of(app);
});
afterAll(async () => {
  await observer?.close();
  await replica?.stop();
  await app?.stop();
});
beforeEach(async () => {
  [acme, other] = [await PolicyApp.of(app), await PolicyApp.of(app)];
});

const refusal = ({ status, body }: Answer) => [status, body.error_type];
const faults = ({ status, body }: Answer) => [status, body.errors?.map(({ field }: { field: string }) => field)];
const statesOf = async (ids: readonly string[]) =>
  (await Promise.all(ids.map((id) => acme.get(id)))).map(({ state }) => state);

async function revision(): Promise<string> {
  const sql = 'select signing_revision as revision from apps where id = $1';
  return (await observer.rows<{ revision: string }>(sql, [acme.app.id]))[0]!.revision;
}

const policyEvents = async () => (await observer.events(acme.app.id)).filter((type) => type.startsWith('policy.'));

describe('a version of a policy', () => {
  it('is a draft at first, and the next version of its name', async () => {
    const { body } = await acme.create();
    expect(body).toEqual({
      id: expect.stringMatching(/^pol_/),
      app_id: acme.app.id,
      name: 'Payouts',
      version: 1,
      state: 'draft',
      scope: { kind: 'app', id: acme.app.id },
      rules: [{ id: 'rule_1', effect: 'allow', match: {} }],
      created_at: expect.any(Number),
      activated_at: 0,
      retired_at: 0,
    });
    expect((await acme.create()).body.version).toBe(2);
    expect((await acme.create({ name: 'Other' })).body.version).toBe(1);
    expect(await acme.get(body.id)).toEqual({ ...body, allows_more: true });
    expect(await revision()).toBe('');
  });

  it('says whether its activation allows more than the active version of its name', async () => {
    const [first, tighter, looser] = [
      await acme.version({ rules: [{ id: 'small', effect: 'allow', match: { operations: ['export'] } }] }),
      await acme.version({ rules: [{ id: 'none', effect: 'deny' }] }),
      await acme.version(),
    ];
    await acme.activate(first);
    const allowMore = await Promise.all([first, tighter, looser].map((id) => acme.get(id)));
    expect(allowMore.map((each) => each.allows_more)).toEqual([false, false, true]);
  });

  it('is stored for each of several simultaneous calls, on two replicas', async () => {
    const at = PolicyApp.at(replica, acme.app);
    const calls = [acme, at, acme, at].map((each) => () => each.create());
    const answers = await observer.together('policies', calls);
    expect(answers.map(({ status, text }) => [status, status === 200 ? '' : text])).toEqual(Array(4).fill([200, '']));
    expect(new Set(answers.map(({ body }) => body.version))).toEqual(new Set([1, 2, 3, 4]));
  });

  it('retires the active one of its name when it is activated, and may be activated again', async () => {
    const [first, second] = [await acme.version(), await acme.version()];
    const unrelated = await acme.version({ name: 'Unrelated' });
    for (const id of [unrelated, first]) expect((await acme.activate(id)).body.state).toBe('active');
    const { body } = await acme.activate(second);
    expect(body).toMatchObject({ id: second, state: 'active', activated_at: expect.any(Number), retired_at: 0 });
    expect(await statesOf([first, second, unrelated])).toEqual(['retired', 'active', 'active']);
    expect((await acme.get(first)).retired_at).toBeGreaterThan(0);
    expect((await acme.activate(first)).body).toMatchObject({ state: 'active', retired_at: 0 });
    expect(await statesOf([first, second, unrelated])).toEqual(['active', 'retired', 'active']);
    expect((await acme.active()).map(({ name }: Fields) => name)).toEqual(['Unrelated', 'Payouts']);
  });

  it('stays as it is when it is activated or retired again', async () => {
    const id = await acme.version();
    for (let i = 0; i < 2; i++) expect((await acme.activate(id)).body.state).toBe('active');
    for (let i = 0; i < 2; i++) expect((await acme.retire(id)).body.state).toBe('retired');
    expect(await policyEvents()).toEqual(['policy.activated', 'policy.retired']);
  });

  it('that is a draft may be withdrawn', async () => {
    const id = await acme.version();
    expect((await acme.retire(id)).body).toMatchObject({ state: 'retired', activated_at: 0 });
  });

  it('has an event for each change, and begins another signing revision of its app', async () => {
    const [first, second] = [await acme.version(), await acme.version()];
    const revisions = [await revision()];
    for (const call of [() => acme.activate(first), () => acme.activate(second), () => acme.retire(second)]) {
      await call();
      revisions.push(await revision());
    }
    expect(new Set(revisions).size).toBe(4);
    const events = await observer.rows<{ type: string; id: string }>(
      `select type, data->>'policy_id' as id from stored_events where app_id = $1 and type like 'policy.%' order by position, seq`,
      [acme.app.id],
    );
    expect(events.map(({ type, id }) => [type, id])).toEqual([
      ['policy.activated', first],
      ['policy.retired', first],
      ['policy.activated', second],
      ['policy.retired', second],
    ]);
  });

  it('is the only active one of its name when two are activated simultaneously', async () => {
    const ids = [await acme.version(), await acme.version(), await acme.version()];
    const at = PolicyApp.at(replica, acme.app);
    const calls = ids.map((id, index) => () => (index % 2 === 0 ? acme : at).activate(id));
    const answers = await observer.together('policies', calls);
    expect(answers.map(({ status, text }) => [status, status === 200 ? '' : text])).toEqual(Array(3).fill([200, '']));
    const states = await statesOf(ids);
    expect(states).toEqual(expect.arrayContaining(['active', 'retired']));
    expect(states.filter((state) => state === 'active')).toHaveLength(1);
  });

  it('is activated only after the payments under way have ended', async () => {
    const id = await acme.version();
    await observer.rows('begin');
    await observer.rows('select from apps where id = $1 for key share', [acme.app.id]);
    let isDone = false;
    const answer = acme.activate(id).finally(() => (isDone = true));
    await observer.untilWaiting('apps', () => (isDone ? 0 : 1));
    expect(isDone).toBe(false);
    await observer.rows('commit');
    expect((await answer).status).toBe(200);
  });

  it('of another app is not found', async () => {
    const id = await other.version();
    for (const answer of [await acme.activate(id), await acme.retire(id), await acme.manage('GET', `/policies/${id}`)])
      expect(refusal(answer)).toEqual([404, 'policy_not_found']);
    expect((await other.get(id)).state).toBe('draft');
    expect((await acme.manage('GET', '/policies')).body).toEqual({ policies: [], has_more: false });
  });

  it('is read with the secret key of its app, and not changed with it', async () => {
    const id = await acme.version();
    const call = (method: string, path: string, key = acme.app.secretKey, body?: unknown) =>
      app.call(method, path, { key, ...(body !== undefined && { body }) });
    expect((await call('GET', `/v1/policies/${id}`)).body).toEqual(await acme.get(id));
    expect((await call('GET', '/v1/policies')).body.policies.map((each: Fields) => each['id'])).toEqual([id]);
    expect(refusal(await call('GET', `/v1/policies/${id}`, other.app.secretKey))).toEqual([404, 'policy_not_found']);
    expect((await call('POST', '/v1/policies', acme.app.secretKey, {})).status).toBe(405);
    expect((await call('POST', `/v1/policies/${id}/activate`, acme.app.secretKey, {})).status).toBe(404);
    const managed = `/management/v1/apps/${acme.app.id}/policies/${id}/activate`;
    expect(refusal(await call('POST', managed, acme.app.secretKey, {}))).toEqual([403, 'wrong_key_kind']);
  });

  it('is listed by state, name and scope', async () => {
    const { user_id } = await app.given.user(acme.app);
    const [first, second] = [
      await acme.version(),
      await acme.version({ name: 'B', scope: { kind: 'user', id: user_id } }),
    ];
    await acme.activate(second);
    const listed = async (query: string) =>
      (await acme.manage('GET', `/policies?${query}`)).body.policies.map((each: Fields) => each['id']);
    expect(await listed('')).toEqual([second, first]);
    expect(await listed('state=draft')).toEqual([first]);
    expect(await listed('name=B')).toEqual([second]);
    expect(await listed('scope=app')).toEqual([first]);
    expect(await listed(`scope=user&scope_id=${user_id}`)).toEqual([second]);
    expect(await listed(`scope_id=${newId('user')}`)).toEqual([]);
  });
});

describe('the scope of a policy', () => {
  /** The ids of an object of each kind that the app has. */
  async function scopesOf(of: PolicyApp): Promise<Record<string, string>> {
    const { user_id } = await app.given.user(of.app);
    const wallet = await app.call('POST', '/v1/wallets/create', {
      key: of.app.secretKey,
      body: { user_id, wallet_type: 'ethereum' },
    });
    const keys = await of.manage('GET', '/keys');
    return { app: of.app.id, wallet: wallet.body.id, user: user_id, key: keys.body.keys[0].id };
  }

  it('is the app, or a wallet, user or key of it', async () => {
    for (const [kind, id] of Object.entries(await scopesOf(acme)))
      expect((await acme.create({ scope: { kind, id } })).body.scope).toEqual({ kind, id });
    expect((await acme.create({ scope: { kind: 'app' } })).body.scope).toEqual({ kind: 'app', id: acme.app.id });
  });

  it('is refused with its path if the object is unknown, of another kind, of another app, or ended', async () => {
    const own = await scopesOf(acme);
    for (const [kind, id] of Object.entries(await scopesOf(other))) {
      const unknown = newId(kind as 'app');
      for (const wrong of [id, unknown, own[kind === 'user' ? 'wallet' : 'user']])
        expect(faults(await acme.create({ scope: { kind, id: wrong } }))).toEqual([400, ['scope.id']]);
      if (kind !== 'app') expect(faults(await acme.create({ scope: { kind } }))).toEqual([400, ['scope.id']]);
    }
    await acme.manage('DELETE', `/keys/${own['key']}`);
    await acme.manage('DELETE', `/users/${own['user']}`);
    for (const kind of ['key', 'user', 'wallet'])
      expect(faults(await acme.create({ scope: { kind, id: own[kind] } }))).toEqual([400, ['scope.id']]);
  });
});

describe('the policies of an app', () => {
  it('are at most twenty active ones; another version of an active one may still be activated', async () => {
    for (let i = 0; i < 20; i++)
      expect((await acme.activate(await acme.version({ name: `Policy ${i}` }))).status).toBe(200);
    const one = await acme.version({ name: 'One more' });
    expect(refusal(await acme.activate(one))).toEqual([409, 'too_many_policies']);
    expect((await acme.activate(await acme.version({ name: 'Policy 7' }))).status).toBe(200);
    expect(refusal(await acme.activate(one))).toEqual([409, 'too_many_policies']);
    expect(await acme.active()).toHaveLength(20);
  });

  it('are at most a thousand stored versions; a new one replaces the oldest that nothing kept refers to', async () => {
    const id = await acme.version();
    const stored = (number: number) => `pol_${String(number).padStart(26, '0')}`;
    await observer.rows(
      `insert into policies select app_id, 'pol_' || lpad(i::text, 26, '0'), name, i, 'retired', scope_kind, scope_id, rules, network_ids, created_at, now(), now()
         from policies, generate_series(2, 1000) i where app_id = $1 and id = $2`,
      [acme.app.id, id],
    );
    await signRows(acme.service, 'policies');
    await acme.activate(id);
    expect(refusal(await acme.create())).toEqual([409, 'too_many_policies']);
    expect((await other.create()).status).toBe(200);

    // Decisions by the first two are no longer kept. An approval still names one of them.
    await observer.rows(
      `update policies set retired_at = now() - interval '91 days' where app_id = $1 and id = any($2)`,
      [acme.app.id, [stored(2), stored(3)]],
    );
    const { approval } = await other.asked();
    await observer.rows(
      `insert into approvals select (jsonb_populate_record(a, jsonb_build_object('app_id', $1::text, 'policy_id', $2::text))).*
         from approvals a where app_id = $3 and id = $4`,
      [acme.app.id, stored(2), other.app.id, approval],
    );
    expect((await acme.create()).status).toBe(200);
    const found = async (version: string) => (await acme.manage('GET', `/policies/${version}`)).status;
    expect(await Promise.all([stored(2), stored(3), stored(4), id].map(found))).toEqual([200, 404, 200, 200]);
    // The new draft is the only version that no decision can name.
    expect((await acme.create()).status).toBe(200);
    expect(refusal(await acme.retire(id))).toEqual([200, undefined]);
  });
});

describe('a policy that asks an approver group', () => {
  it('is refused with its path if the group is unknown or of another app', async () => {
    const foreign = await other.group([await other.approver()]);
    for (const group of [foreign, newId('approverGroup')])
      expect(faults(await acme.create({ rules: [{ effect: 'allow' }, asking(group)] }))).toEqual([
        400,
        ['rules[1].approvals.group'],
      ]);
  });

  it('is not activated while the group has too few members, or after it was deleted', async () => {
    const group = await acme.group([await acme.approver()]);
    const [one, two] = [
      await acme.version({ rules: [asking(group)] }),
      await acme.version({ rules: [asking(group, 2)] }),
    ];
    expect(refusal(await acme.activate(two))).toEqual([409, 'approver_group_too_small']);
    expect((await acme.activate(one)).status).toBe(200);
    await acme.retire(one);
    await acme.manage('DELETE', `/approver_groups/${group}`);
    expect(refusal(await acme.activate(one))).toEqual([409, 'approver_group_too_small']);
    expect(await statesOf([one, two])).toEqual(['retired', 'draft']);
  });
});

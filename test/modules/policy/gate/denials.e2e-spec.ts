import { getAddress, zeroPadValue, toBeHex } from 'ethers';
import { startApp, type TestApp } from '../../../support/app.js';
import type { GivenApp } from '../../../support/given.js';
import { eventually } from '../../../support/eventually.js';
import { PostgresRetention } from '../../../../src/postgres/retention.js';
import { Observer } from '../../../support/observer.js';
import { unitsOf } from '../../../support/processor-time.js';
import { PolicyApp } from '../policies.js';

const SPENDER = getAddress(`0x${'5e'.repeat(20)}`);
const token = (index: number): string => getAddress(zeroPadValue(toBeHex(index + 1), 20));

let one: TestApp;
let two: TestApp;
let observer: Observer;
beforeAll(async () => {
  one = await startApp({ env: { ROLE: 'api' } });
  two = await startApp({ databaseUrl: one.databaseUrl, env: { ROLE: 'api' } });
  observer = await Observer.of(one);
});
afterAll(async () => {
  await observer?.close();
  await two?.stop();
  await one?.stop();
});

/** A permit by which Permit2 may move as many tokens. */
const permitOf = (tokens: number) => ({
  domain: { name: 'Permit2', chainId: 1, verifyingContract: '0x000000000022D473030F116dDEE9F6B43aC78BA3' },
  primaryType: 'PermitBatch',
  types: {
    PermitBatch: [
      { name: 'details', type: 'PermitDetails[]' },
      { name: 'spender', type: 'address' },
      { name: 'sigDeadline', type: 'uint256' },
    ],
    PermitDetails: [
      { name: 'token', type: 'address' },
      { name: 'amount', type: 'uint160' },
      { name: 'expiration', type: 'uint48' },
      { name: 'nonce', type: 'uint48' },
    ],
  },
  message: {
    details: Array.from({ length: tokens }, (_, index) => ({
      token: token(index),
      amount: '1000000000000',
      expiration: 0,
      nonce: 0,
    })),
    spender: SPENDER,
    sigDeadline: '1',
  },
});

async function signing(rules: readonly object[] = [{ effect: 'deny' }], versions = 1) {
  const app = await one.given.app({ signing_policy: { typed_data: 'any' } });
  const policies = PolicyApp.at(one, app);
  for (let index = 0; index < versions; index++)
    await policies.activate(await policies.version({ name: `Policy ${index}`, rules }));
  const { user_id } = await one.given.user(app, { wallet_type: 'ethereum' });
  const { body } = await one.call('GET', '/v1/wallets/list', { key: app.secretKey, query: { user_id } });
  const walletId = body.wallets[0].id as string;
  const sign = (tokens: number, at = one, key = app.secretKey) =>
    at.call('POST', `/v1/wallets/${walletId}/sign_typed_data`, { key, body: { typed_data: permitOf(tokens) } });
  return { app, policies, sign };
}

interface Shown {
  readonly calls: number;
  readonly facts: { readonly moves: readonly object[]; readonly more_moves: number };
}
const decisions = async (policies: PolicyApp): Promise<Shown[]> => {
  const pages: Shown[] = [];
  for (let after = ''; ;) {
    const { body } = await policies.manage('GET', `/policies/decisions?limit=100${after}`);
    pages.push(...body.decisions);
    if (!body.has_more) return pages;
    after = `&starting_after=${body.decisions.at(-1).id}`;
  }
};
/** Calls of one minute: begins anew if the minute has changed meanwhile. */
const minuteOf = async () =>
  (await observer.rows<{ at: Date }>(`select date_trunc('minute', now()) as at`))[0]!.at.getTime();

const restricted = async (app: GivenApp): Promise<string> => {
  const body = { kind: 'restricted', scopes: ['wallets:sign'] };
  return (await PolicyApp.at(one, app).manage('POST', '/keys', body)).body.key;
};

describe('denials', () => {
  it('of one key by one rule are stored 100 times a minute over all replicas, and the further ones are counted', async () => {
    const { app, policies, sign } = await signing();
    const key = await restricted(app);
    const minute = await minuteOf();
    const answers = [];
    for (let call = 0; call < 130; call += 10)
      answers.push(
        ...(await Promise.all(Array.from({ length: 10 }, (_, index) => sign(1, index % 2 ? one : two, key)))),
      );
    expect(new Set(answers.map(({ body }) => body.error_type))).toEqual(new Set(['policy_denied']));
    expect((await sign(1)).body.error_type).toBe('policy_denied');
    const shown = await decisions(policies);
    const isOneMinute = (await minuteOf()) === minute;
    expect(shown.reduce((sum, { calls }) => sum + calls, 0)).toBe(131);
    // 100 of the restricted key, one that counts the further ones, and one of the secret key.
    if (isOneMinute)
      expect(shown.map(({ calls }) => calls).toSorted((a, b) => a - b)).toEqual([...Array(101).fill(1), 30]);
    else expect(shown.length).toBeLessThanOrEqual(203);
  });

  it('have at most 2 KiB of facts, and say how many moves they do not show', async () => {
    const { policies, sign } = await signing();
    expect((await sign(64)).body.error_type).toBe('policy_denied');
    const [{ facts }] = (await decisions(policies)) as [Shown];
    expect(facts.moves.length).toBeGreaterThan(5);
    expect(facts.moves.length + facts.more_moves).toBe(64);
    const [row] = await observer.rows<{ bytes: number }>(
      `select octet_length(facts::text) as bytes from policy_decisions where app_id = $1`,
      [policies.app.id],
    );
    expect(row!.bytes).toBeLessThanOrEqual(2_048);
  });

  it('leave after 90 days', async () => {
    const { app, sign } = await signing();
    await sign(1);
    await observer.rows(`update policy_denials set minute = now() - interval '91 days' where app_id = $1`, [app.id]);
    await one.nest.get(PostgresRetention, { strict: false }).removeAll();
    await eventually(async () =>
      expect(await observer.rows('select 1 from policy_denials where app_id = $1', [app.id])).toEqual([]),
    );
  });
});

describe('a payload of over 64 moves', () => {
  it('is refused before any rule, where a policy judges it', async () => {
    const { policies, sign } = await signing();
    const refused = await sign(65);
    expect([refused.status, refused.body.error_type]).toEqual([400, 'too_many_moves']);
    expect(await decisions(policies)).toEqual([]);
    const free = await signing([], 0);
    expect((await free.sign(65)).status).toBe(200);
  });
});

it.each([64, 230])(
  'a permit for %i tokens under 20 policies of 50 rules takes at most 50 units of work',
  async (tokens) => {
    const list = Array.from({ length: 20 }, (_, index) => getAddress(zeroPadValue(toBeHex(7_000 + index), 20)));
    const rules = Array.from({ length: 50 }, () => ({ effect: 'allow', match: { destinations: [...list, SPENDER] } }));
    const { sign } = await signing(rules, 20);
    const units: number[] = [];
    for (let tries = 0; tries < 5; tries++) units.push(await unitsOf(() => sign(tokens)));
    expect(Math.min(...units)).toBeLessThan(50);
  },
);

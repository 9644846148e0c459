import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseEther } from 'ethers';
import { MANAGEMENT_KEY, type Answer } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { atEveryAwait, Sometimes } from '../../support/faulty-awaits.js';
import type { GivenApp } from '../../support/given.js';
import { Money, newAddress, type Payer } from '../../support/money.js';
import { Observer } from '../../support/observer.js';
import { areAllCasesRun } from '../../support/sampled.js';
import { type Holder, ORIGIN, PasskeyApp, RP_ID } from '../passkey/passkeys.js';
import { checkBudgets } from './budget-history.js';
import { asking, type Fields, PolicyApp } from './policies.js';

let money: Money;
let observer: Observer;

beforeAll(async () => {
  // Another process tracks: here every statement and every call of a node is one of the use case.
  money = await Money.start({ env: { ROLE: 'api', TRANSFER_CONFIRM_WAIT_SECONDS: areAllCasesRun ? '1' : '0' } });
  observer = await Observer.of(money.app);
});
afterAll(async () => {
  await observer?.close();
  await money?.stop();
});

/** An app with a policy and approvers. */
async function appWith(rules: (group: string) => Fields[]) {
  const app = await money.app.given.app({
    default_wallet_type: 'none',
    webauthn: { rp_id: RP_ID, origins: [ORIGIN] },
  });
  const voter = await PasskeyApp.at(money.app, app).holder();
  const policies = PolicyApp.at(money.app, app);
  const group = await policies.group([voter.userId]);
  await policies.activate(await policies.version({ rules: rules(group) }));
  return { app, voter, policies, payer: (coins = 10n): Promise<Payer> => money.payer('ethereum', coins, app) };
}

/** A call that is repeated with its `Idempotency-Key`. */
function callOf(key: string, path: string, body: unknown): () => Promise<Answer> {
  const headers = { 'idempotency-key': randomUUID() };
  return () => money.app.call('POST', path, { key, body, headers });
}

/** The answer once the service is available. */
async function repeated(call: () => Promise<Answer>): Promise<Answer> {
  return eventually(async () => {
    const answer = await call();
    expect(answer.status).not.toBe(503);
    return answer;
  });
}

async function count(sql: string, ...parameters: unknown[]): Promise<number> {
  const [row] = await observer.rows<{ n: number }>(`select count(*)::int as n from ${sql}`, parameters);
  return row!.n;
}

async function one<T>(sql: string, ...parameters: unknown[]): Promise<T> {
  const [row] = await observer.rows<{ value: T }>(sql, parameters);
  return row!.value;
}

const stateOf = ({ id }: GivenApp, approval: string): Promise<string> =>
  one('select state as value from approvals where app_id = $1 and id = $2', id, approval);

/** Lets the payments of the app end, by another process. */
async function expectPaidOnce({ id }: GivenApp, dests: readonly string[], amount: string): Promise<void> {
  const worker = await money.replica({ ROLE: 'worker' });
  try {
    await eventually(async () => {
      await money.look();
      // Otherwise these looks would compete with the worker for the rows.
      await sleep(250);
      expect(await count(`transfers where app_id = $1 and status = 'pending'`, id)).toBe(0);
    });
  } finally {
    await worker.stop();
  }
  const paid = await Promise.all(dests.map((dest) => money.anvil.balance(dest)));
  expect(paid).toEqual(dests.map(() => parseEther(amount)));
  await checkBudgets((sql, parameters) => observer.rows(sql, parameters));
}

async function vote(app: GivenApp, approval: string, { userId, authenticator }: Holder) {
  const path = `/v1/approvals/${approval}`;
  const { body, text, status } = await money.app.call('POST', `${path}/begin`, {
    key: app.secretKey,
    body: { user_id: userId, decision: 'approve' },
  });
  if (status !== 200) throw new Error(text);
  const credential = authenticator.get(body.public_key_credential_request_options);
  return callOf(app.secretKey, `${path}/approve`, { user_id: userId, public_key_credential: credential });
}

it('a confirmation takes its amount once from three windows, and pays once, with a fault at every wait', async () => {
  const { app, payer } = await appWith(() => [
    {
      id: 'pays',
      effect: 'allow',
      match: { operations: ['transfer'], assets: ['ethereum'] },
      windows: [
        { seconds: 3_600, max_amount: '0.5', per: 'destination' },
        { seconds: 3_600, max_amount: '1000' },
        { seconds: 600, max_count: 100_000 },
      ],
    },
  ]);
  const sometimes = new Sometimes(
    'the answer to COMMIT was lost',
    'the decision was stored and rolled back',
    'the payment was stored and the call that sends it was lost',
    'the payment was sent and the answer of the node was lost',
    'the payment was made and its end was not stored',
  );
  const dests: string[] = [];
  const runs = await atEveryAwait({
    service: money.app,
    node: money.proxies.ethereum,
    async prepare() {
      const [from, dest] = [await payer(), newAddress('ethereum')];
      dests.push(dest);
      const [{ id }, second] = [await money.created(from, { dest }), await money.created(from, { dest })];
      return { id, second: second.id, from, dest, confirm: callOf(app.secretKey, `/v1/transfers/${id}/confirm`, {}) };
    },
    work: ({ confirm }) => confirm(),
    async check({ id, second, from, dest, confirm }, { fault: { place, moment }, result }) {
      expect([200, 503]).toContain(result.status);
      const status = await one<string>('select status as value from transfers where id = $1', id);
      const isDecided = (await count('policy_decisions where operation_id = $1', id)) > 0;
      const isPaid = (await money.anvil.balance(dest)) > 0n;
      const isSending = place.includes('eth_sendRawTransaction');
      sometimes.note('the answer to COMMIT was lost', moment === 'after' && /\bcommit\b/.test(place) && isDecided);
      sometimes.note(
        'the decision was stored and rolled back',
        moment === 'after' && /policy_decisions/.test(place) && !isDecided,
      );
      sometimes.note(
        'the payment was stored and the call that sends it was lost',
        isSending && moment === 'before' && isDecided,
      );
      sometimes.note(
        'the payment was sent and the answer of the node was lost',
        isSending && moment === 'after' && isPaid,
      );
      sometimes.note('the payment was made and its end was not stored', isPaid && status === 'pending');

      const again = await repeated(confirm);
      expect([again.status, ['pending', 'completed'].includes(again.body.status)]).toEqual([200, true]);
      expect((await money.confirm(from, id)).status).toBe(200);
      expect((await repeated(() => money.confirm(from, second))).body).toMatchObject({ reason: 'window_amount' });
      expect(await count('transfer_attempts where transfer_id = $1', id)).toBe(1);
      expect(await count('spend_events where operation_id = $1', id)).toBe(1);
      expect(await count(`policy_decisions where operation_id = $1 and outcome = 'allow'`, id)).toBe(1);
    },
  });
  expect(sometimes.never).toEqual([]);
  expect(runs).toBeGreaterThan(areAllCasesRun ? 30 : 10);
  // The first run has no fault, and is confirmed too.
  await expectPaidOnce(app, dests, '0.5');
});

const TYPED_DATA = {
  domain: { name: 'Test', version: '1', chainId: 31_337 },
  types: { Note: [{ name: 'text', type: 'string' }] },
  primaryType: 'Note',
};

it.each([
  ['sign_message', (text: string): Fields => ({ message: text })],
  ['sign_typed_data', (text: string): Fields => ({ typed_data: { ...TYPED_DATA, message: { text } } })],
] as const)(
  '%s uses an approval for one signature, which is committed, with a fault at every wait',
  async (path, fieldsOf) => {
    const { app, payer, voter } = await appWith((group) => [{ id: 'asks', ...asking(group) }]);
    const { walletId } = await payer();
    const sometimes = new Sometimes(
      'the approval was executed and the response was lost',
      'the use of the approval was rolled back',
    );
    const signatures = () =>
      count(`stored_events where app_id = $1 and type in ('message.signed', 'typed_data.signed')`, app.id);
    const url = `/v1/wallets/${walletId}/${path}`;
    const runs = await atEveryAwait({
      service: money.app,
      async prepare() {
        const fields = fieldsOf(randomUUID());
        const refused = await money.app.call('POST', url, { key: app.secretKey, body: fields });
        const approval: string = refused.body.approval_id;
        if (!approval) throw new Error(refused.text);
        await (
          await vote(app, approval, voter)
        )();
        const sign = callOf(app.secretKey, url, { ...fields, approval_id: approval });
        return { approval, before: await signatures(), sign };
      },
      work: ({ sign }) => sign(),
      async check({ approval, before, sign }, { fault: { moment }, result }) {
        expect([200, 503]).toContain(result.status);
        const isUsed = (await stateOf(app, approval)) === 'executed';
        expect((await signatures()) - before).toBe(isUsed ? 1 : 0);
        if (result.status === 200) expect(isUsed).toBe(true);
        sometimes.note('the approval was executed and the response was lost', isUsed && result.status === 503);
        sometimes.note('the use of the approval was rolled back', moment === 'after' && !isUsed);

        const again = await repeated(sign);
        if (again.status !== 200)
          expect([again.status, again.body.error_type, isUsed]).toEqual([409, 'approval_ended', true]);
        expect([await stateOf(app, approval), (await signatures()) - before]).toEqual(['executed', 1]);
      },
    });
    expect(sometimes.never).toEqual([]);
    expect(runs).toBeGreaterThan(areAllCasesRun ? 15 : 5);
  },
);

it('a vote is counted once and lets its transfer go on once, with a fault at every wait', async () => {
  const { app, payer, voter } = await appWith((group) => [
    {
      id: 'pays',
      ...asking(group),
      match: { operations: ['transfer'], assets: ['ethereum'] },
      windows: [{ seconds: 3_600, max_amount: '1000' }],
    },
  ]);
  const sometimes = new Sometimes('the vote was counted and the response was lost', 'the vote was rolled back');
  const dests: string[] = [];
  const votes = (approval: string) => count('approval_votes where app_id = $1 and approval_id = $2', app.id, approval);
  const runs = await atEveryAwait({
    service: money.app,
    async prepare() {
      // A wallet of its own, because the sender queue of one wallet has few places.
      const [from, dest] = [await payer(), newAddress('ethereum')];
      dests.push(dest);
      const { id } = await money.created(from, { dest, source_amount: '0.1' });
      const { body, text } = await money.confirm(from, id);
      if (body.status !== 'awaiting_approval') throw new Error(text);
      return { id, approval: body.approval_id as string, approve: await vote(app, body.approval_id, voter) };
    },
    work: ({ approve }) => approve(),
    async check({ id, approval, approve }, { fault: { moment }, result }) {
      expect([200, 503]).toContain(result.status);
      const observed = async () => [
        await stateOf(app, approval),
        await votes(approval),
        await one('select status as value from transfers where id = $1', id),
        await count(
          `stored_events where app_id = $1 and type = 'approval.approved' and data->>'approval_id' = $2`,
          app.id,
          approval,
        ),
      ];
      const first = await observed();
      const isCounted = first[0] === 'approved';
      const counted = ['approved', 1, 'pending', 1];
      expect(first).toEqual(isCounted ? counted : ['waiting', 0, 'awaiting_approval', 0]);
      if (result.status === 200) expect(isCounted).toBe(true);
      sometimes.note('the vote was counted and the response was lost', isCounted && result.status === 503);
      sometimes.note('the vote was rolled back', moment === 'after' && !isCounted);

      const again = await repeated(approve);
      if (again.status !== 200) {
        expect([again.status, isCounted]).toEqual([409, true]);
        expect(['already_voted', 'approval_ended']).toContain(again.body.error_type);
      }
      expect(await observed()).toEqual(counted);
    },
  });
  expect(sometimes.never).toEqual([]);
  expect(runs).toBeGreaterThan(areAllCasesRun ? 15 : 5);
  await expectPaidOnce(app, dests, '0.1');
});

it('a version comes into force once, in the place of the one before, with a fault at every wait', async () => {
  const { app, policies } = await appWith(() => [{ effect: 'allow' }]);
  const sometimes = new Sometimes(
    'the version was in force and the answer to COMMIT was lost',
    'the activation was rolled back',
  );
  const active = async (): Promise<string[]> => {
    const rows = await observer.rows<{ id: string }>(`select id from policies where app_id = $1 and state = 'active'`, [
      app.id,
    ]);
    return rows.map(({ id }) => id);
  };
  const revision = () => one<string>('select signing_revision as value from apps where id = $1', app.id);
  const activations = (id: string) =>
    count(`stored_events where app_id = $1 and type = 'policy.activated' and data->>'policy_id' = $2`, app.id, id);
  const runs = await atEveryAwait({
    service: money.app,
    async prepare() {
      const id = await policies.version({ rules: [{ effect: 'allow' }] });
      const activate = callOf(MANAGEMENT_KEY, `/management/v1/apps/${app.id}/policies/${id}/activate`, {});
      return { id, former: await active(), revision: await revision(), activate };
    },
    work: ({ activate }) => activate(),
    async check({ id, former, revision: before, activate }, { fault: { moment, place }, result }) {
      expect([200, 503]).toContain(result.status);
      const isActive = (await activations(id)) === 1;
      expect([await active(), (await revision()) !== before]).toEqual(isActive ? [[id], true] : [former, false]);
      if (result.status === 200) expect(isActive).toBe(true);
      const isCommit = /\bcommit\b/.test(place);
      sometimes.note(
        'the version was in force and the answer to COMMIT was lost',
        isActive && isCommit && moment === 'after',
      );
      sometimes.note('the activation was rolled back', moment === 'after' && !isActive);

      const again = await repeated(activate);
      expect([again.status, again.body.state]).toEqual([200, 'active']);
      expect([await active(), await activations(id)]).toEqual([[id], 1]);
    },
  });
  expect(sometimes.never).toEqual([]);
  expect(runs).toBeGreaterThan(areAllCasesRun ? 15 : 5);
});

import { verifyMessage } from 'ethers';
import { MANAGEMENT_KEY, type TestApp } from '../../../support/app.js';
import { eventually } from '../../../support/eventually.js';
import { Money, newAddress } from '../../../support/money.js';
import { Observer, openConnections } from '../../../support/observer.js';
import { type Holder, outcomes, PasskeyApp, refusal } from '../../passkey/passkeys.js';
import { checkBudgets } from '../budget-history.js';
import { asking, type Fields } from '../policies.js';
import { Treasury as TreasuryOfApp, type TreasuryChoices } from '../treasury.js';

let money: Money;
let replica: TestApp;
let observer: Observer;

beforeAll(async () => {
  money = await Money.start({ env: { TRANSFER_CONFIRM_WAIT_SECONDS: '0', DATABASE_POOL_SIZE: '30' } });
  replica = await money.replica({ ROLE: 'api', DATABASE_POOL_SIZE: '30' });
  observer = await Observer.of(money.app);
  for (const each of [money.app, replica]) await openConnections(each, 25);
});
afterAll(async () => {
  await observer?.close();
  await replica?.stop();
  await money?.stop();
});

const Treasury = { of: (choices?: TreasuryChoices) => TreasuryOfApp.of(money, observer, choices) };

const paying = (group: string): Fields[] => [
  {
    id: 'pays',
    ...asking(group),
    match: { operations: ['transfer'], assets: ['ethereum'] },
    windows: [{ seconds: 3_600, max_amount: '1' }],
  },
];

describe('a transfer that a rule puts to approvers', () => {
  it('is signed only once enough of them have approved, and is paid once', async () => {
    const treasury = await Treasury.of({ count: 2 });
    const dest = newAddress('ethereum');
    const { id, approval } = await treasury.awaiting({ dest });
    const shown = await treasury.approval(approval);
    expect(shown).toMatchObject({
      state: 'waiting',
      needed: 2,
      votes: [],
      policy_id: treasury.version,
      rule_id: 'asks',
    });
    expect(shown.payload).toMatchObject({ operation: 'transfer', destination: dest, amount: '0.5', transfer_id: id });
    await observer.rows(`update transfers set expires_at = now() - interval '1 day' where id = $1 returning id`, [id]);

    const [first, second] = treasury.members as [Holder, Holder];
    expect((await treasury.vote(approval, first)).body).toMatchObject({ state: 'waiting' });
    expect((await money.get(treasury.payer, id)).status).toBe('awaiting_approval');
    const approved = await treasury.vote(approval, second);
    expect(approved.body).toMatchObject({
      state: 'approved',
      votes: [{ user_id: first.userId }, { user_id: second.userId }],
    });
    await money.become(treasury.payer, id, 'completed');
    expect(await treasury.approval(approval)).toMatchObject({ state: 'executed' });
    expect(await treasury.attemptsOf(id)).toHaveLength(1);
    expect(await money.balance('ethereum', dest)).toBe(5n * 10n ** 17n);
  });

  it('is rejected by one approver, and gives its budget back', async () => {
    const treasury = await Treasury.of({ rules: paying });
    const { id, approval } = await treasury.awaiting({ source_amount: '0.9' });
    const second = await money.created(treasury.payer, { source_amount: '0.2' });
    expect((await money.confirm(treasury.payer, second.id)).body).toMatchObject({ reason: 'window_amount' });
    expect((await treasury.vote(approval, treasury.members[0]!, 'reject')).body.state).toBe('rejected');
    expect(await money.get(treasury.payer, id)).toMatchObject({
      status: 'rejected',
      failure: { code: 'rejected_by_approver', retry_safe: true },
    });
    expect((await money.confirm(treasury.payer, second.id)).body.status).toBe('awaiting_approval');
  });

  it('is rejected when a new version comes into force, and when its user is deactivated', async () => {
    const treasury = await Treasury.of();
    const { id, approval } = await treasury.awaiting();
    await treasury.policies.activate(await treasury.policies.version());
    await eventually(async () =>
      expect(await money.get(treasury.payer, id)).toMatchObject({
        status: 'rejected',
        failure: { code: 'policy_changed' },
      }),
    );
    expect(await treasury.approval(approval)).toMatchObject({ state: 'void', reason: 'policy_changed' });

    const another = await Treasury.of();
    const left = await another.awaiting();
    await another.policies.manage('POST', `/users/${another.payer.userId}/deactivate`, {});
    expect(await another.approval(left.approval)).toMatchObject({ state: 'void', reason: 'user_inactive' });
    expect((await money.get(another.payer, left.id)).status).toBe('rejected');
  });

  it('expires with its approval, and is cancelled on request', async () => {
    const treasury = await Treasury.of({ rules: paying });
    const first = await treasury.awaiting();
    await observer.rows('update approvals set expires_at = now() where id = $1 returning id', [first.approval]);
    expect(refusal(await treasury.begin(first.approval, treasury.members[0]!))).toEqual([409, 'approval_ended']);
    expect((await money.get(treasury.payer, first.id)).status).toBe('expired');
    const second = await treasury.awaiting();
    expect((await treasury.call('POST', `/transfers/${second.id}/cancel`, {})).body.status).toBe('cancelled');
    expect(await treasury.approval(second.approval)).toMatchObject({ state: 'void', reason: 'transfer_ended' });
    expect(await treasury.held()).toBe(0);
  });

  it('is signed by another replica when the one that took the vote is gone', async () => {
    const treasury = await Treasury.of();
    const { id, approval } = await treasury.awaiting();
    const voter = treasury.members[0]!;
    const credential = await treasury.assertion(approval, voter);
    const gone = await money.replica({ ROLE: 'api' });
    await money.withoutTracker(async () => {
      expect((await treasury.send(approval, voter, credential, 'approve', gone)).status).toBe(200);
      await gone.stop();
    });
    await money.become(treasury.payer, id, 'completed');
    expect(await treasury.attemptsOf(id)).toHaveLength(1);
  });

  it('waits again when an approver leaves before it is signed', async () => {
    const treasury = await Treasury.of();
    const { id, approval } = await treasury.awaiting();
    await money.withoutTracker(async () => {
      await treasury.vote(approval, treasury.members[0]!);
      await treasury.policies.manage('POST', `/users/${treasury.members[0]!.userId}/deactivate`, {});
    });
    await eventually(async () => expect((await money.get(treasury.payer, id)).status).toBe('awaiting_approval'));
    await treasury.vote(approval, treasury.members[1]!);
    await money.become(treasury.payer, id, 'completed');
  });

  it('that waits again after its time to be approved has this time anew', async () => {
    const treasury = await Treasury.of();
    const { id, approval } = await treasury.awaiting();
    await money.withoutTracker(async () => {
      await treasury.vote(approval, treasury.members[0]!);
      await treasury.policies.manage('POST', `/users/${treasury.members[0]!.userId}/deactivate`, {});
      // An approved transfer does not expire while it waits for its sender queue.
      await observer.rows('update approvals set expires_at = now() where id = $1 returning id', [approval]);
    });
    await eventually(async () => expect((await money.get(treasury.payer, id)).status).toBe('awaiting_approval'));
    const { state, expires_at: end } = await treasury.approval(approval);
    expect(state).toBe('waiting');
    expect(end).toBeGreaterThan(Date.now() / 1_000 + 3_500);
    await treasury.vote(approval, treasury.members[1]!);
    await money.become(treasury.payer, id, 'completed');
  });
});

describe('a signature that a rule puts to approvers', () => {
  it('is given once, to the repeated call', async () => {
    const treasury = await Treasury.of();
    const approval = await treasury.askedSignature('Hello');
    expect((await treasury.sign('Hello')).body['approval_id']).toBe(approval);
    expect(refusal(await treasury.sign('Hello', approval))).toEqual([409, 'approval_required']);
    await treasury.vote(approval, treasury.members[0]!);
    // A call that does not carry the approval neither uses it nor takes it back.
    expect(refusal(await treasury.sign('Hello'))).toEqual([409, 'approval_required']);
    expect(refusal(await treasury.sign('Hullo', approval))).toEqual([409, 'approval_mismatch']);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => treasury.sign('Hello', approval, i % 2 ? replica : money.app)),
    );
    expect(outcomes(answers)).toEqual({ '200': 1, '409 approval_ended': 9 });
    const signed = answers.find(({ status }) => status === 200)!;
    expect(verifyMessage('Hello', signed.body.signature)).toBe(treasury.payer.address);
    expect(await treasury.askedSignature('Hello')).not.toBe(approval);
  });

  it('is not given for a policy that has changed', async () => {
    const treasury = await Treasury.of();
    const approval = await treasury.askedSignature('Hello');
    await treasury.vote(approval, treasury.members[0]!);
    await treasury.policies.activate(await treasury.policies.version({ rules: [asking(treasury.group)] }));
    expect(refusal(await treasury.sign('Hello', approval))).toEqual([409, 'approval_ended']);
  });

  it('is not given for an approval of another app', async () => {
    const [treasury, another] = [await Treasury.of(), await Treasury.of()];
    const approval = await another.askedSignature('Hello');
    await another.vote(approval, another.members[0]!);
    expect(refusal(await treasury.sign('Hello', approval))).toEqual([404, 'approval_not_found']);
    expect(refusal(await treasury.begin(approval, treasury.members[0]!))).toEqual([404, 'approval_not_found']);
  });
});

describe('a vote', () => {
  it('is refused to a user who is no member, whom the request names, or who has voted', async () => {
    const treasury = await Treasury.of({ count: 2 });
    const owner = treasury.members.at(-1)!;
    const { approval } = await treasury.awaiting({}, { user_id: treasury.payer.userId });
    expect(refusal(await treasury.begin(approval, owner))).toEqual([403, 'not_an_approver']);
    const stranger = await PasskeyApp.at(money.app, treasury.app).holder();
    expect(refusal(await treasury.begin(approval, stranger))).toEqual([403, 'not_an_approver']);
    await treasury.vote(approval, treasury.members[0]!);
    expect(refusal(await treasury.begin(approval, treasury.members[0]!))).toEqual([409, 'already_voted']);
  });

  it('counts for nothing but its approval and its decision, and only as its user', async () => {
    const treasury = await Treasury.of({ count: 2 });
    const [first, second] = treasury.members as [Holder, Holder];
    const [one, two] = [await treasury.askedSignature('One'), await treasury.askedSignature('Two')];
    const signed = await treasury.assertion(one, first);
    const INVALID = [400, 'invalid_webauthn_credential'];
    expect(refusal(await treasury.send(two, first, signed))).toEqual(INVALID);
    expect(refusal(await treasury.send(one, first, signed, 'reject'))).toEqual(INVALID);
    expect(refusal(await treasury.send(one, second, signed))).toEqual(INVALID);
    const { body } = await treasury.begin(one, first);
    const unverified = first.authenticator.get(body.public_key_credential_request_options, { isUserVerified: false });
    expect(refusal(await treasury.send(one, first, unverified))).toEqual(INVALID);
    expect(await treasury.approval(one)).toMatchObject({ state: 'waiting', votes: [] });
    expect((await treasury.send(one, first, signed)).status).toBe(200);
    expect(refusal(await treasury.send(one, first, signed))).toEqual([409, 'already_voted']);
  });

  it('of twenty simultaneous approvals is counted as often as needed, and the transfer is paid once', async () => {
    const treasury = await Treasury.of({ members: 19, count: 5 });
    const { id, approval } = await treasury.awaiting();
    const credentials = await Promise.all(treasury.members.map((member) => treasury.assertion(approval, member)));
    const answers = await Promise.all(
      treasury.members.map((member, i) =>
        treasury.send(approval, member, credentials[i], 'approve', i % 2 ? replica : money.app),
      ),
    );
    expect(outcomes(answers)).toEqual({ '200': 5, '409 approval_ended': 15 });
    await money.become(treasury.payer, id, 'completed');
    expect(await treasury.attemptsOf(id)).toHaveLength(1);
  });

  it('of twenty simultaneous votes on a signature, half of them rejections, one decides', async () => {
    const treasury = await Treasury.of({ members: 19 });
    const approval = await treasury.askedSignature('Hello');
    const decisionOf = (i: number) => (i % 4 < 2 ? 'approve' : 'reject');
    const credentials = await Promise.all(
      treasury.members.map((member, i) => treasury.assertion(approval, member, decisionOf(i))),
    );
    const answers = await Promise.all(
      treasury.members.map((member, i) =>
        treasury.send(approval, member, credentials[i], decisionOf(i), i % 2 ? replica : money.app),
      ),
    );
    expect(outcomes(answers)).toEqual({ '200': 1, '409 approval_ended': 19 });
    expect((await treasury.approval(approval)).votes).toHaveLength(1);
  });

  it('races a rejection, a cancellation and the expiry, and exactly one of them decides', async () => {
    for (let round = 0; round < 6; round++) {
      const treasury = await Treasury.of({ rules: paying });
      const { id, approval } = await treasury.awaiting();
      const [first, second] = treasury.members as [Holder, Holder];
      const yes = await treasury.assertion(approval, first);
      const no = await treasury.assertion(approval, second, 'reject');
      await Promise.all([
        treasury.send(approval, first, yes),
        treasury.send(approval, second, no, 'reject', replica),
        treasury.call('POST', `/transfers/${id}/cancel`, {}, round % 2 ? replica : money.app),
        observer.rows('update approvals set expires_at = now() where id = $1 returning id', [approval]),
        replica.call('GET', `/v1/approvals/${approval}`, { key: treasury.app.secretKey }),
      ]);
      const ends = ['completed', 'rejected', 'cancelled', 'expired'];
      const ended = await eventually(async () => {
        const transfer = await money.get(treasury.payer, id);
        expect(ends).toContain(transfer.status);
        return transfer;
      });
      expect(await treasury.attemptsOf(id)).toHaveLength(ended.status === 'completed' ? 1 : 0);
      const { state } = await treasury.approval(approval);
      const of: Record<string, readonly string[]> = {
        completed: ['executed'],
        rejected: ['rejected'],
        cancelled: ['void'],
        expired: ['expired'],
      };
      expect(of[ended.status]).toContain(state);
      expect(await treasury.held()).toBe(0);
    }
  });
});

it('operators list approvals by state and carry votes', async () => {
  const treasury = await Treasury.of();
  const approval = await treasury.askedSignature('Hello');
  const { body } = await treasury.policies.manage('GET', '/approvals?state=waiting');
  expect(body.approvals.map(({ id }: { id: string }) => id)).toEqual([approval]);
  const credential = await treasury.assertion(approval, treasury.members[0]!);
  const voted = await money.app.call('POST', `/management/v1/apps/${treasury.app.id}/approvals/${approval}/approve`, {
    key: MANAGEMENT_KEY,
    body: { user_id: treasury.members[0]!.userId, public_key_credential: credential },
  });
  expect([voted.status, voted.body.state]).toEqual([200, 'approved']);
});

it('no test has exceeded, lost or refused a budget without cause', async () => {
  const histories = await checkBudgets((sql, parameters) => observer.rows(sql, parameters));
  expect(histories.flatMap(({ spends }) => spends).length).toBeGreaterThan(5);
});

import { type AppId, newId } from '../../../../src/kernel/ids.js';
import { ObjectOwners } from '../../../../src/kernel/object-owners.js';
import { ManagementKeys } from '../../../../src/modules/apps/index.js';
import { type Answer, startApp, type TestApp } from '../../../support/app.js';
import { Observer } from '../../../support/observer.js';
import { type Holder, outcomes, PasskeyApp, refusal } from '../../passkey/passkeys.js';
import { asking, type Fields, PolicyApp } from '../policies.js';
import { signRows } from '../../../support/row-macs.js';

let app: TestApp;
let replica: TestApp;
let observer: Observer;
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

const faults = ({ status, body }: Answer) => [status, body.errors?.map(({ field }: Fields) => field)];
const namedIn = (holders: readonly Holder[]) => holders.map(({ userId }) => ({ user_id: userId }));
const allowing = (...operations: string[]): Fields => ({ effect: 'allow', match: { operations } });
const denying: Fields = { effect: 'deny', match: { operations: ['export'] } };

/** An app whose policies change only with the approval of `count` of its board. */
class Board {
  private constructor(
    readonly policies: PolicyApp,
    readonly members: readonly Holder[],
    readonly group: string,
  ) {}

  static async of({ members = 2, count = 1, isSet = true } = {}): Promise<Board> {
    const policies = await PolicyApp.of(app);
    const passkeys = PasskeyApp.at(app, policies.app);
    const holders = await Promise.all(Array.from({ length: members }, () => passkeys.holder()));
    const board = new Board(policies, holders, await policies.group(holders.map(({ userId }) => userId)));
    if (isSet && (await board.set({ group: board.group, count })).status !== 200) throw new Error('It was not set.');
    return board;
  }

  set(policy_change: unknown, approval_id?: string): Promise<Answer> {
    return this.policies.manage('PATCH', '', { policy_change, ...(approval_id && { approval_id }) });
  }

  async setting(): Promise<unknown> {
    return (await this.policies.manage('GET', '')).body.policy_change;
  }

  change(group: string, fields: Fields, approval_id?: string): Promise<Answer> {
    return this.policies.manage('PATCH', `/approver_groups/${group}`, {
      ...fields,
      ...(approval_id && { approval_id }),
    });
  }

  thaw(approval_id?: string): Promise<Answer> {
    return this.policies.manage('POST', '/thaw', { ...(approval_id && { approval_id }) });
  }

  async approved(approval: string, ...voters: Holder[]): Promise<string> {
    for (const voter of voters.length > 0 ? voters : [this.members[0]!]) await this.policies.vote(approval, voter);
    return approval;
  }

  /** Runs a call that needs an approval, then again with it. */
  async withApproval(call: (approval?: string) => Promise<Answer>): Promise<Answer> {
    return call(await this.approved(await asked(call())));
  }

  state = async (version: string) => (await this.policies.get(version)).state;
}

/** The approval that a refused call names. */
async function asked(call: Promise<Answer>): Promise<string> {
  const { status, body, text } = await call;
  if (status !== 409 || body.error_type !== 'approval_required') throw new Error(text);
  return body['approval_id'] as string;
}

describe('with policy_change, a version that allows more', () => {
  it('is activated once as many members as needed have approved, and its approval names the whole change', async () => {
    const board = await Board.of({ count: 2 });
    const { policies, members } = board;
    const version = await policies.version();
    const approval = await asked(policies.activate(version));
    expect(await policies.approval(approval)).toEqual({
      id: approval,
      app_id: policies.app.id,
      state: 'waiting',
      reason: '',
      payload: {
        operation: 'policy_change',
        app_id: policies.app.id,
        change: 'activate_policy',
        summary: 'Activate version 1 of the policy Payouts where no version is active.',
        before: null,
        after: expect.objectContaining({ policy_id: version, name: 'Payouts', version: 1, rules: [expect.anything()] }),
      },
      payload_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      policy_id: null,
      version: null,
      rule_id: null,
      group: board.group,
      requested_by: expect.stringMatching(/^key_/),
      user_id: null,
      wallet_id: null,
      transfer_id: '',
      votes: [],
      needed: 2,
      created_at: expect.any(Number),
      expires_at: expect.any(Number),
      ended_at: 0,
    });
    // A repeated call finds the approval again.
    expect(await asked(policies.activate(version))).toBe(approval);
    await policies.vote(approval, members[0]!);
    expect(await asked(policies.activate(version, approval))).toBe(approval);
    expect(await board.state(version)).toBe('draft');
    await policies.vote(approval, members[1]!);
    expect((await policies.activate(version, approval)).body.state).toBe('active');
    expect(await policies.approval(approval)).toMatchObject({ state: 'executed', ended_at: expect.any(Number) });
    const types = await observer.events(policies.app.id);
    expect(types.filter((type) => /^(approval|policy)\./.test(type))).toEqual([
      'approval.requested',
      'approval.approved',
      'policy.activated',
    ]);
    const { body } = await policies.manage('GET', '/audit_log');
    const actions = body.entries.map(({ action }: { action: string }) => action);
    expect(actions).toEqual(expect.arrayContaining(['approval.requested', 'approval.approved', 'policy.activated']));
  });

  it('is activated by another operator than the requester', async () => {
    const { policies, ...board } = await Board.of();
    const version = await policies.version();
    const approval = await asked(policies.activate(version));
    await policies.vote(approval, board.members[0]!);
    const byCli = { actor: 'cli', requestId: null, ip: null };
    const second = { name: 'Second operator', role: 'operator', expiresAt: null } as const;
    const { key } = await app.nest.get(ManagementKeys).create(byCli, second);
    const path = `/management/v1/apps/${policies.app.id}/policies/${version}/activate`;
    const answer = await app.call('POST', path, { key, body: { approval_id: approval } });
    expect(answer.body.state).toBe('active');
  });

  it('needs no approval if it is tighter, and a rejection or the expiry ends the approval', async () => {
    const board = await Board.of();
    const { policies, members } = board;
    const looser = await policies.version();
    expect((await board.withApproval((approval) => policies.activate(looser, approval))).status).toBe(200);
    const tighter = await policies.version({ rules: [denying, { effect: 'allow', id: 'rule_1' }] });
    expect((await policies.activate(tighter)).status).toBe(200);
    const rejected = await asked(policies.activate(looser));
    expect((await policies.vote(rejected, members[0]!, 'reject')).body.state).toBe('rejected');
    expect(refusal(await policies.activate(looser, rejected))).toEqual([409, 'approval_ended']);
    const expired = await board.approved(await asked(policies.activate(looser)));
    expect(expired).not.toBe(rejected);
    await observer.rows('update approvals set expires_at = now() where id = $1', [expired]);
    expect(refusal(await policies.activate(looser, expired))).toEqual([409, 'approval_ended']);
    expect(await policies.approval(expired)).toMatchObject({ state: 'expired' });
    expect(await board.state(looser)).toBe('retired');
  });

  it('is not activated with the approval of another version, change or app, or an unknown one', async () => {
    const [board, another] = [await Board.of(), await Board.of()];
    const { policies } = board;
    const [one, two] = [await policies.version(), await policies.version({ name: 'Other' })];
    const ofOne = await board.approved(await asked(policies.activate(one)));
    expect(refusal(await policies.activate(two, ofOne))).toEqual([409, 'approval_mismatch']);
    const foreign = await another.approved(await asked(another.policies.activate(await another.policies.version())));
    for (const id of [foreign, newId('approval')])
      expect(refusal(await policies.activate(one, id))).toEqual([404, 'approval_not_found']);
    for (const wrong of ['x', newId('policy'), ''])
      expect(faults(await policies.manage('POST', `/policies/${one}/activate`, { approval_id: wrong }))).toEqual([
        400,
        ['approval_id'],
      ]);
  });

  it('is not activated with the approval of a use of a key', async () => {
    const board = await Board.of({ isSet: false });
    const { policies } = board;
    const { approval, holder } = await policies.asked();
    await policies.vote(approval, holder);
    await board.set({ group: board.group, count: 1 });
    const version = await policies.version({ name: 'Other' });
    expect(refusal(await policies.activate(version, approval))).toEqual([409, 'approval_mismatch']);
  });

  it('is not activated if another version came into force after the approval', async () => {
    const board = await Board.of();
    const { policies } = board;
    const [first, second, third] = [
      await policies.version({ rules: [allowing('transfer', 'export')] }),
      await policies.version({ rules: [allowing('transfer')] }),
      await policies.version(),
    ];
    await board.withApproval((approval) => policies.activate(first, approval));
    const approval = await board.approved(await asked(policies.activate(third)));
    await policies.activate(second);
    expect(refusal(await policies.activate(third, approval))).toEqual([409, 'approval_mismatch']);
    expect(await board.state(second)).toBe('active');
  });

  it('is not activated if the members of a group that it asks have changed after the approval', async () => {
    const board = await Board.of();
    const { policies, members } = board;
    const group = await policies.group([members[0]!.userId]);
    const version = await policies.version({ rules: [asking(group)] });
    const approval = await asked(policies.activate(version));
    await policies.vote(approval, members[0]!);
    // No rule in force asks the group, so its members change without an approval.
    const path = `/approver_groups/${group}`;
    expect((await policies.manage('PATCH', path, { members: [{ user_id: members[1]!.userId }] })).status).toBe(200);
    expect(refusal(await policies.activate(version, approval))).toEqual([409, 'approval_mismatch']);
  });

  it('of two that are activated simultaneously with approvals, one comes into force', async () => {
    const board = await Board.of();
    const { policies } = board;
    const versions = [
      await policies.version({ rules: [allowing('transfer')] }),
      await policies.version({ rules: [allowing('export')] }),
    ];
    const approvals: string[] = [];
    for (const version of versions) approvals.push(await board.approved(await asked(policies.activate(version))));
    const at = PolicyApp.at(replica, policies.app);
    const answers = await observer.together('policies', [
      () => policies.activate(versions[0]!, approvals[0]),
      () => at.activate(versions[1]!, approvals[1]),
    ]);
    expect(outcomes(answers)).toEqual({ '200': 1, '409 approval_mismatch': 1 });
    expect(await policies.active()).toHaveLength(1);
  });

  it('is activated once with an approval, also by simultaneous calls on two replicas', async () => {
    const board = await Board.of();
    const { policies } = board;
    const version = await policies.version();
    const approval = await board.approved(await asked(policies.activate(version)));
    const at = PolicyApp.at(replica, policies.app);
    const calls = Array.from({ length: 6 }, (_, i) => () => (i % 2 ? at : policies).activate(version, approval));
    const answers = await observer.together('policies', calls);
    expect(outcomes(answers)).toEqual({ '200': 6 });
    const activated = async () =>
      (await observer.events(policies.app.id)).filter((type) => type === 'policy.activated').length;
    expect(await activated()).toBe(1);
    // Retired and activated from the same state, the change is the same; its approval is used.
    await board.withApproval((id) => policies.retire(version, id));
    expect(refusal(await policies.activate(version, approval))).toEqual([409, 'approval_ended']);
    expect(await activated()).toBe(1);
  });

  it('waits for votes again if an approver left before the use', async () => {
    const board = await Board.of();
    const { policies, members } = board;
    const version = await policies.version();
    const approval = await board.approved(await asked(policies.activate(version)));
    await policies.manage('POST', `/users/${members[0]!.userId}/deactivate`, {});
    expect(await asked(policies.activate(version, approval))).toBe(approval);
    expect(await policies.approval(approval)).toMatchObject({ state: 'waiting' });
    await policies.vote(approval, members[1]!);
    expect((await policies.activate(version, approval)).status).toBe(200);
  });
});

describe('with policy_change, a retirement', () => {
  it('of an active version needs an approval, and that of a draft none', async () => {
    const board = await Board.of();
    const { policies } = board;
    const version = await policies.version();
    await board.withApproval((approval) => policies.activate(version, approval));
    const approval = await asked(policies.retire(version));
    expect((await policies.approval(approval)).payload).toMatchObject({
      change: 'retire_policy',
      before: { policy_id: version },
      after: null,
    });
    expect(await board.state(version)).toBe('active');
    expect((await policies.retire(version, await board.approved(approval))).body.state).toBe('retired');
    expect((await policies.retire(version, approval)).body.state).toBe('retired');
    expect((await policies.retire(await policies.version())).status).toBe(200);
  });
});

describe('with policy_change, an approver group', () => {
  it('that is in use gets other members only with an approval, and another name without', async () => {
    const board = await Board.of({ members: 3, count: 2 });
    const { policies, members, group } = board;
    const [ada, alan, grace] = members as [Holder, Holder, Holder];
    expect((await board.change(group, { name: 'Board' })).status).toBe(200);
    expect((await board.change(group, { members: namedIn([grace, alan, ada]) })).status).toBe(200);
    const fewer = { members: namedIn([ada, alan]) };
    const approval = await asked(board.change(group, fewer));
    expect((await policies.approval(approval)).payload).toMatchObject({
      change: 'approver_group',
      before: { group, members: [ada.userId, alan.userId, grace.userId].toSorted() },
      after: { group, members: [ada.userId, alan.userId].toSorted() },
    });
    expect(refusal(await board.change(group, { members: namedIn([ada]) }))).toEqual([409, 'approver_group_too_small']);
    await board.approved(approval, ada, alan);
    expect(refusal(await board.change(group, { members: namedIn([ada, grace]) }, approval))).toEqual([
      409,
      'approval_mismatch',
    ]);
    expect((await board.change(group, fewer, approval)).body.members).toEqual(fewer.members);
    expect(refusal(await policies.manage('DELETE', `/approver_groups/${group}`))).toEqual([
      409,
      'approver_group_in_use',
    ]);
    for (const wrong of ['x', 7])
      expect(faults(await board.change(group, { approval_id: wrong }))).toEqual([400, ['approval_id']]);
  });

  it('that an active policy asks is changed only with an approval, and one that none asks without', async () => {
    const board = await Board.of();
    const { policies, members } = board;
    const treasury = await policies.group([members[0]!.userId]);
    const both = { members: namedIn(members) };
    expect((await board.change(treasury, both)).status).toBe(200);
    const version = await policies.version({ rules: [asking(treasury)] });
    await board.withApproval((approval) => policies.activate(version, approval));
    const one = { members: namedIn([members[1]!]) };
    expect((await board.withApproval((approval) => board.change(treasury, one, approval))).status).toBe(200);
    const unused = await policies.group([members[0]!.userId]);
    expect((await policies.manage('DELETE', `/approver_groups/${unused}`)).status).toBe(200);
  });

  it('makes the open approvals void when its members change', async () => {
    const board = await Board.of({ members: 2 });
    const { policies, members, group } = board;
    const version = await policies.version();
    const approved = await board.approved(await asked(policies.activate(version)));
    const one = { members: namedIn([members[0]!]) };
    expect((await board.withApproval((approval) => board.change(group, one, approval))).status).toBe(200);
    expect(await policies.approval(approved)).toMatchObject({ state: 'void', reason: 'policy_changed' });
    expect(refusal(await policies.activate(version, approved))).toEqual([409, 'approval_ended']);
    expect(await observer.events(policies.app.id)).toContain('approval.voided');
  });
});

describe('the setting policy_change', () => {
  it('is set at first without an approval, and changed or cleared only with one', async () => {
    const board = await Board.of({ isSet: false });
    const { policies, group } = board;
    expect(await board.setting()).toBeNull();
    expect((await board.set({ group, count: 1 })).body.policy_change).toEqual({ group, count: 1 });
    expect((await board.set({ group, count: 1 })).status).toBe(200);
    const open = await asked(policies.activate(await policies.version()));
    const approval = await asked(board.set({ group, count: 2 }));
    expect((await policies.approval(approval)).payload).toMatchObject({
      change: 'policy_change',
      before: { group, count: 1 },
      after: { group, count: 2 },
    });
    expect(await board.setting()).toEqual({ group, count: 1 });
    await board.approved(approval);
    expect(refusal(await board.set(null, approval))).toEqual([409, 'approval_mismatch']);
    expect((await board.set({ group, count: 2 }, approval)).body.policy_change).toEqual({ group, count: 2 });
    expect(await policies.approval(open)).toMatchObject({ state: 'void', reason: 'policy_changed' });
    const cleared = await board.approved(await asked(board.set(null)), ...board.members);
    expect((await board.set(null, cleared)).body.policy_change).toBeNull();
    expect((await policies.activate(await policies.version())).status).toBe(200);
    expect((await policies.manage('DELETE', `/approver_groups/${group}`)).status).toBe(200);
  });

  it('leaves other settings unchanged while it waits, and does not hinder them', async () => {
    const board = await Board.of();
    const { policies } = board;
    await asked(policies.manage('PATCH', '', { name: 'Changed', policy_change: null }));
    expect((await policies.manage('GET', '')).body.name).not.toBe('Changed');
    expect((await policies.manage('PATCH', '', { name: 'Changed' })).body).toMatchObject({
      name: 'Changed',
      policy_change: { group: board.group },
    });
  });

  it('is refused with its path if the group is unknown, of another app or too small', async () => {
    const [board, another] = [await Board.of({ isSet: false }), await Board.of()];
    for (const group of [another.group, newId('approverGroup')])
      expect(faults(await board.set({ group, count: 1 }))).toEqual([400, ['policy_change.group']]);
    expect(faults(await board.set({ group: board.group, count: 3 }))).toEqual([400, ['policy_change.count']]);
    await observer.rows('delete from webauthn_credentials where user_id = $1', [board.members[0]!.userId]);
    expect(faults(await board.set({ group: board.group, count: 2 }))).toEqual([400, ['policy_change.count']]);
    const created = await app.call('POST', '/management/v1/apps', {
      key: app.managementKey,
      body: { name: 'New', mode: 'test', policy_change: { group: board.group, count: 1 } },
    });
    expect(faults(created)).toEqual([400, ['policy_change.group']]);
  });

  it.each([
    ['x', 'policy_change'],
    [{}, 'policy_change.group'],
    [{ group: 'x', count: 1 }, 'policy_change.group'],
    [{ group: newId('approverGroup') }, 'policy_change.count'],
    [{ group: newId('approverGroup'), count: 0 }, 'policy_change.count'],
    [{ group: newId('approverGroup'), count: 101 }, 'policy_change.count'],
    [{ group: newId('approverGroup'), count: 'one' }, 'policy_change.count'],
  ])('is refused for %j', async (setting, field) => {
    const board = await Board.of({ members: 1, isSet: false });
    const [status, fields] = faults(await board.set(setting));
    expect([status, (fields as string[]).some((each) => each.startsWith(field))]).toEqual([400, true]);
  });

  it('makes the open approval of a change void, also while a member votes on it', async () => {
    for (let round = 0; round < 5; round++) {
      const board = await Board.of();
      const { policies, members, group } = board;
      const version = await policies.version();
      const [ofVersion, ofSetting] = [
        await asked(policies.activate(version)),
        await board.approved(await asked(board.set({ group, count: 2 }))),
      ];
      const credential = await policies.assertion(ofVersion, members[0]!);
      const vote = { user_id: members[0]!.userId, public_key_credential: credential };
      const at = PolicyApp.at(replica, policies.app);
      const [voted, changed] = await observer.together('approvals', [
        () => at.manage('POST', `/approvals/${ofVersion}/approve`, vote),
        () => board.set({ group, count: 2 }, ofSetting),
      ]);
      expect(changed!.status).toBe(200);
      expect([200, 409]).toContain(voted!.status);
      expect(await policies.approval(ofVersion)).toMatchObject({ state: 'void', reason: 'policy_changed' });
      expect(refusal(await policies.activate(version, ofVersion))).toEqual([409, 'approval_ended']);
    }
  });
});

describe('with policy_change, a recovery', () => {
  it('needs an approval where a policy governs the wallets of the user, and only there', async () => {
    const board = await Board.of();
    const { policies } = board;
    const owner = await PasskeyApp.at(app, policies.app).holder();
    const recover = (email: string, approval_id?: string) =>
      policies.manage('POST', `/users/${owner.userId}/recovery`, { email, ...(approval_id && { approval_id }) });
    expect((await recover('first@example.com')).status).toBe(200);
    const scope = { kind: 'user', id: owner.userId };
    const version = await policies.version({ name: 'Of the user', scope });
    await policies.activate(version, await board.approved(await asked(policies.activate(version))));
    const approval = await asked(recover('second@example.com'));
    expect((await policies.approval(approval)).payload).toMatchObject({
      change: 'recovery',
      after: { user_id: owner.userId, email: 'second@example.com' },
    });
    const { recoveries } = (await policies.manage('GET', `/users/${owner.userId}`)).body;
    expect(recoveries).toMatchObject([{ email: 'first@example.com' }]);
    await board.approved(approval);
    expect(refusal(await recover('third@example.com', approval))).toEqual([409, 'approval_mismatch']);
    expect((await recover('second@example.com', approval)).body).toMatchObject({ email: 'second@example.com' });
  });
});

describe('with policy_change, a thaw', () => {
  it('needs an approval of this freeze, and a freeze needs none', async () => {
    const board = await Board.of();
    const { policies } = board;
    const frozenAt = async () =>
      (
        await observer.rows<{ at: Date | null }>('select frozen_at as at from apps where id = $1', [policies.app.id])
      )[0]!.at;
    expect((await policies.manage('POST', '/freeze', {})).status).toBe(200);
    const approval = await asked(board.thaw());
    expect((await policies.approval(approval)).payload).toMatchObject({ change: 'thaw', after: { frozen_at: 0 } });
    expect(await frozenAt()).not.toBeNull();
    expect((await board.thaw(await board.approved(approval))).body.frozen_at).toBe(0);
    expect(await frozenAt()).toBeNull();
    // It is thawed, so the call changes nothing.
    expect((await board.thaw(approval)).status).toBe(200);
    await policies.manage('POST', '/freeze', {});
    await observer.rows(`update apps set frozen_at = now() + interval '1 minute' where id = $1`, [policies.app.id]);
    await signRows(policies.service, 'apps');
    expect(refusal(await board.thaw(approval))).toEqual([409, 'approval_mismatch']);
    expect(await frozenAt()).not.toBeNull();
    for (const wrong of ['x', 7])
      expect(faults(await policies.manage('POST', '/thaw', { approval_id: wrong }))).toEqual([400, ['approval_id']]);
  });

  it('needs no body without policy_change', async () => {
    const { policies } = await Board.of({ isSet: false });
    await policies.manage('POST', '/freeze', {});
    expect((await policies.manage('POST', '/thaw')).body.frozen_at).toBe(0);
  });
});

it('the approval of a change belongs to no user, so that a bound key does not see it', async () => {
  const { policies } = await Board.of();
  const approval = await asked(policies.activate(await policies.version()));
  const owners = app.nest.get(ObjectOwners, { strict: false });
  expect(await owners.find(policies.app.id as AppId, approval)).toBeNull();
});

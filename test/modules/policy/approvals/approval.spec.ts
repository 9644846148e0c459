import type { ApproverGroupId, Id, PolicyId, UserId } from '../../../../src/kernel/ids.js';
import {
  type ApprovalState,
  assertMayVote,
  assertUsable,
  challengeFor,
  type CurrentApproval,
  END_REASONS,
  isOpen,
  stateAfter,
  stateWith,
} from '../../../../src/modules/policy/approvals/domain/approval.js';
import {
  AlreadyVoted,
  ApprovalEnded,
  ApprovalMismatch,
  NotAnApprover,
} from '../../../../src/modules/policy/approvals/domain/approval.errors.js';
import { passkeyChallenge, rulesThatAsk } from '../../../../src/modules/policy/approvals/domain/approver-group.js';
import { policyOf, ruleOf } from '../builders.js';

const [ALICE, BOB, CAROL] = ['user_alice', 'user_bob', 'user_carol'] as [UserId, UserId, UserId];

function approvalOf(given: Partial<CurrentApproval> = {}): CurrentApproval {
  return {
    appId: 'app_a',
    id: 'appr_1',
    state: 'waiting',
    end: null,
    members: [ALICE, BOB],
    userId: CAROL,
    namesUser: true,
    votes: [],
    payloadHash: 'aa',
    policyId: 'pol_1',
    version: 1,
    ...given,
  } as CurrentApproval;
}

describe('a vote', () => {
  it('is taken of each member once', () => {
    expect(() => assertMayVote(approvalOf(), ALICE)).not.toThrow();
    const voted = approvalOf({ votes: [{ userId: ALICE, decision: 'approve', at: new Date() }] });
    expect(() => assertMayVote(voted, ALICE)).toThrow(AlreadyVoted);
    expect(() => assertMayVote(voted, BOB)).not.toThrow();
    expect(() => assertMayVote(approvalOf(), CAROL)).toThrow(NotAnApprover);
  });

  it('is not taken of a member who asked', () => {
    expect(() => assertMayVote(approvalOf({ userId: ALICE }), ALICE)).toThrow(NotAnApprover);
    expect(() => assertMayVote(approvalOf({ userId: ALICE }), BOB)).not.toThrow();
    // The owner of the wallet has not asked.
    expect(() => assertMayVote(approvalOf({ userId: ALICE, namesUser: false }), ALICE)).not.toThrow();
  });

  it.each(['approved', 'rejected', 'expired', 'executed', 'void'] as const)('is not taken of an %s one', (state) => {
    expect(() => assertMayVote(approvalOf({ state }), ALICE)).toThrow(ApprovalEnded);
  });

  it('is not taken of one that must end, which is named by its next state', () => {
    const vote = () => assertMayVote(approvalOf({ end: 'expired' }), ALICE);
    expect(vote).toThrow(ApprovalEnded);
    expect(vote).toThrow('expired');
  });

  it.each<[Parameters<typeof stateWith>, ApprovalState]>([
    [['approve', 0, 1], 'approved'],
    [['approve', 0, 2], 'waiting'],
    [['approve', 1, 2], 'approved'],
    [['approve', 2, 2], 'approved'],
    [['reject', 5, 1], 'rejected'],
  ])('%p leads to %s', (args, state) => {
    expect(stateWith(...args)).toBe(state);
  });
});

describe('an approval', () => {
  it('is open while it waits and until it is used', () => {
    const open = (['waiting', 'approved', 'rejected', 'expired', 'executed', 'void'] as const).filter((state) =>
      isOpen(approvalOf({ state })),
    );
    expect(open).toEqual(['waiting', 'approved']);
  });

  it('is used for its payload alone, while it is open', () => {
    for (const state of ['waiting', 'approved'] as const)
      expect(() => assertUsable(approvalOf({ state }), 'aa')).not.toThrow();
    expect(() => assertUsable(approvalOf({ state: 'approved' }), 'ab')).toThrow(ApprovalMismatch);
    expect(() => assertUsable(approvalOf({ state: 'executed' }), 'aa')).toThrow(ApprovalEnded);
    const ending = () => assertUsable(approvalOf({ state: 'approved', end: 'policy_changed' }), 'aa');
    expect(ending).toThrow(ApprovalEnded);
    expect(ending).toThrow('void');
  });

  it('ends as rejected, expired or void', () => {
    expect(END_REASONS.map(stateAfter)).toEqual(['rejected', 'expired', 'void', 'void', 'void', 'void', 'void']);
  });
});

describe('a challenge', () => {
  it('of a vote names everything that the vote is about', () => {
    const approval = approvalOf();
    const others: Partial<CurrentApproval>[] = [
      { appId: 'app_b' as CurrentApproval['appId'] },
      { id: 'appr_2' as CurrentApproval['id'] },
      { payloadHash: 'ab' },
      { policyId: 'pol_2' as PolicyId },
      { version: 2 },
    ];
    const challenges = [
      challengeFor(approval, ALICE, 'approve'),
      challengeFor(approval, BOB, 'approve'),
      challengeFor(approval, ALICE, 'reject'),
      ...others.map((given) => challengeFor(approvalOf(given), ALICE, 'approve')),
    ];
    expect(new Set(challenges).size).toBe(8);
    for (const each of challenges) expect(each).toMatch(/^[\w-]{43}$/);
    // One release may begin a vote that another one takes.
    expect(challenges[0]).toBe('KyrZE7PHz5aK6-syXqmvV4yaP-b13YGZfV8Bl2hyygY');
  });

  it('for a passkey names the membership', () => {
    const approval = {
      appId: 'app_a' as CurrentApproval['appId'],
      groupId: 'agrp_1' as ApproverGroupId,
      passkeyId: 'webauthn_1' as Id<'passkey'>,
      holder: ALICE,
      approvedBy: BOB,
    };
    const since = new Date('2026-01-01T12:00:00Z');
    const challenges = [
      passkeyChallenge(approval, since),
      passkeyChallenge(approval, new Date(since.getTime() + 1)),
      passkeyChallenge({ ...approval, appId: 'app_b' as CurrentApproval['appId'] }, since),
      passkeyChallenge({ ...approval, groupId: 'agrp_2' as ApproverGroupId }, since),
      passkeyChallenge({ ...approval, passkeyId: 'webauthn_2' as Id<'passkey'> }, since),
      passkeyChallenge({ ...approval, holder: CAROL }, since),
      passkeyChallenge({ ...approval, approvedBy: CAROL }, since),
    ];
    expect(new Set(challenges).size).toBe(7);
    expect(challenges[0]).toBe('kPDnmkJBQFoBe_qJg_SvCHOEQEqXN-A1cR_YzeN9lws');
  });
});

describe('a group', () => {
  it('is asked by the rules that name it', () => {
    const [asking, other] = [ruleOf('require_approval', 'asking'), ruleOf('require_approval', 'other')];
    const others = { ...other, approvals: { ...other.approvals!, group: 'agrp_h' as ApproverGroupId } };
    const policies = [policyOf([ruleOf('allow', 'all'), asking]), policyOf([others, { ...asking, id: 'again' }])];
    const named = rulesThatAsk('agrp_g' as ApproverGroupId, policies).map(({ id }) => id);
    expect(named).toEqual(['asking', 'again']);
  });
});

import type { AppId, ApproverGroupId, UserId, WalletId } from '../../../../src/kernel/ids.js';
import {
  activationOf,
  areSameTerms,
  groupChangeOf,
  passkeyHoursChangeOf,
  payloadOfChange,
  recoveryOf,
  retirementOf,
  termsChangeOf,
  termsIn,
  thawOf,
  thawOfObject,
} from '../../../../src/modules/policy/approvals/domain/policy-change.js';
import { networksOf, rulesByIds } from '../../../../src/modules/policy/rules/domain/policy.js';
import { inJson, rulesOf, type StoredRule } from '../../../../src/modules/policy/rules/domain/stored-rules.js';
import { storedFacts } from '../../../../src/modules/policy/rules/domain/stored-facts.js';
import {
  boundsAmount,
  NOTHING_USED,
  RunningUsage,
  type Spend,
} from '../../../../src/modules/policy/rules/domain/verdict.js';
import { COIN, factsOf, moveOf, OTHER_COIN, policyOf, ruleOf, windowOf } from '../builders.js';

const group = (id: string, members: string[], name = `Group ${id}`) => ({
  id: id as ApproverGroupId,
  name,
  members: members as UserId[],
});
const [USER, WALLET] = ['user_1' as UserId, 'wallet_1' as WalletId];
const NOON = new Date('2026-01-01T12:00:00Z');

describe('a change that approvers see', () => {
  const rule = ruleOf('allow', 'r1');
  const [first, second] = [policyOf([rule], { version: 1 }), policyOf([rule], { version: 2 })];
  const words = { policy_id: 'pol_p0', name: 'p0', scope: first.scope, rules: [rule] };

  it('of an activation shows both versions, and the groups in one order', () => {
    const groups = [group('agrp_b', ['user_2', 'user_1']), group('agrp_a', [])];
    expect(activationOf(second, first, groups)).toEqual({
      change: 'activate_policy',
      summary: 'Activate version 2 of the policy p0 in place of version 1.',
      before: { ...words, version: 1 },
      after: {
        ...words,
        version: 2,
        groups: [
          { group: 'agrp_a', name: 'Group agrp_a', members: [] },
          { group: 'agrp_b', name: 'Group agrp_b', members: ['user_1', 'user_2'] },
        ],
      },
    });
    expect(activationOf(second, first, groups.toReversed())).toEqual(activationOf(second, first, groups));
    const alone = activationOf(first, null, []);
    expect(alone).toMatchObject({ before: null, after: { groups: [] } });
    expect(alone.summary).toBe('Activate version 1 of the policy p0 where no version is active.');
  });

  it('of a retirement shows what is no longer in force', () => {
    expect(retirementOf(second)).toEqual({
      change: 'retire_policy',
      summary: 'Retire version 2 of the policy p0. No version of it is active then.',
      before: { ...words, version: 2 },
      after: null,
    });
  });

  it('of a group shows all members before and after', () => {
    const change = groupChangeOf(group('agrp_a', ['user_2', 'user_1']), group('agrp_a', ['user_3']));
    expect(change).toEqual({
      change: 'approver_group',
      summary: 'Change the members of the approver group Group agrp_a from 2 to 1.',
      before: { group: 'agrp_a', name: 'Group agrp_a', members: ['user_1', 'user_2'] },
      after: { group: 'agrp_a', name: 'Group agrp_a', members: ['user_3'] },
    });
  });

  it('of the terms shows the members who may approve', () => {
    const before = { group: group('agrp_a', ['user_1']), count: 1 };
    const after = { group: group('agrp_b', ['user_2']), count: 2 };
    const shown = { change: 'policy_change', before: { group: 'agrp_a', count: 1, members: ['user_1'] } };
    expect(termsChangeOf(before, after)).toMatchObject({
      ...shown,
      summary: 'Let changes of policies need 2 approvals of Group agrp_b instead of 1 of Group agrp_a.',
      after: { group: 'agrp_b', name: 'Group agrp_b', count: 2, members: ['user_2'] },
    });
    expect(termsChangeOf(before, null)).toMatchObject({
      ...shown,
      summary: 'Let changes of policies need no approval, instead of 1 of Group agrp_a.',
      after: null,
    });
  });

  it('of the hours of passkeys, of a freeze and of a recovery says what it ends', () => {
    expect(passkeyHoursChangeOf('Acme', 24, 0)).toEqual({
      change: 'approver_passkey_hours',
      summary: 'Let later passkeys of approvers of the app Acme vote after 0 hours instead of 24.',
      before: { approver_passkey_hours: 24 },
      after: { approver_passkey_hours: 0 },
    });
    expect(thawOf({ name: 'Acme', frozenAt: NOON })).toEqual({
      change: 'thaw',
      summary: 'Thaw the app Acme: its wallets sign again what its policies allow.',
      before: { app: 'Acme', frozen_at: 1_767_268_800 },
      after: { app: 'Acme', frozen_at: 0 },
    });
    const appId = 'app_a' as AppId;
    expect(thawOfObject({ appId, id: USER, userId: USER, walletId: null }, NOON)).toEqual({
      change: 'thaw',
      summary: 'Thaw the user user_1: the wallets of the user sign again what the policies allow.',
      before: { user_id: USER, frozen_at: 1_767_268_800 },
      after: { user_id: USER, frozen_at: 0 },
    });
    expect(thawOfObject({ appId, id: WALLET, userId: USER, walletId: WALLET }, NOON)).toEqual({
      change: 'thaw',
      summary: 'Thaw the wallet wallet_1: it signs again what the policies allow.',
      before: { wallet_id: WALLET, user_id: USER, frozen_at: 1_767_268_800 },
      after: { wallet_id: WALLET, user_id: USER, frozen_at: 0 },
    });
    expect(recoveryOf(USER, { kind: 'email', text: 'a@example.com' })).toEqual({
      change: 'recovery',
      summary: 'Let a@example.com sign in to the account user_1 after a wait.',
      before: null,
      after: { user_id: USER, email: 'a@example.com' },
    });
  });

  it('is the payload with numbers as text', () => {
    const bounded = policyOf([ruleOf('allow', 'r1', {}, [windowOf({ maxAmount: 5n })])]);
    const payload = payloadOfChange('app_a' as AppId, retirementOf(bounded));
    expect(payload).toMatchObject({ operation: 'policy_change', app_id: 'app_a', change: 'retire_policy' });
    expect(payload).toMatchObject({ before: { rules: [{ windows: [{ maxAmount: '5' }] }] } });
  });

  it.each([
    [null, null, true],
    [{ group: 'agrp_a', count: 1 }, null, false],
    [null, { group: 'agrp_a', count: 1 }, false],
    [{ group: 'agrp_a', count: 1 }, { group: 'agrp_a', count: 1 }, true],
    [{ group: 'agrp_a', count: 1 }, { group: 'agrp_a', count: 2 }, false],
    [{ group: 'agrp_a', count: 1 }, { group: 'agrp_b', count: 1 }, false],
  ])('from %p to %p leaves the terms as they are: %p', (before, after, isSame) => {
    type Terms = Parameters<typeof areSameTerms>[0];
    expect(areSameTerms(before as Terms, after as Terms)).toBe(isSame);
  });

  it('needs approvals by a setting of the app', () => {
    const terms = { group: 'agrp_a', count: 2 };
    expect(termsIn({ policy_change: terms, other: {} })).toBe(terms);
    expect(termsIn({ other: {} })).toBeNull();
  });
});

describe('stored rules', () => {
  it('have amounts as text, and are the same when they are read', () => {
    const rules = [
      ruleOf('allow', 'a', { assets: [COIN], amount: { min: 1n, max: null } }, [windowOf({ maxAmount: 10n ** 30n })]),
      ruleOf('require_approval', 'b', { operations: ['export'] }),
    ];
    const stored = JSON.parse(inJson(rules)) as StoredRule[];
    expect(stored[0]).toMatchObject({
      match: { amount: { min: '1', max: null } },
      windows: [{ maxAmount: `1${'0'.repeat(30)}` }],
    });
    expect(rulesOf(stored)).toEqual(rules);
  });

  it('name networks, by their CAIP-2 names where these were stored', () => {
    const rule = ruleOf('allow', 'a', { networks: ['base', 'eip155:1'], assets: [OTHER_COIN] });
    expect(networksOf(rule)).toEqual(['base', 'eip155:1', 'base']);
    expect(networksOf(ruleOf('allow', 'a'))).toEqual([]);
    const [bound, other] = rulesByIds({ rules: [rule, ruleOf('deny', 'b')], networkIds: { base: 'eip155:8453' } });
    expect(bound!.match).toMatchObject({
      networks: ['eip155:8453', 'eip155:1'],
      assets: [{ network: 'eip155:8453', currency: 'base' }],
    });
    expect(bound).toMatchObject({ id: 'a', effect: 'allow' });
    expect(other!.match).toMatchObject({ networks: null, assets: null });
  });
});

describe('stored facts', () => {
  it('are whole as long as there is room, and then count the last moves', () => {
    const moves = Array.from({ length: 64 }, (_, index) => moveOf(BigInt(index)));
    const few = factsOf({ moves: moves.slice(0, 3) });
    expect(JSON.parse(storedFacts(few))).toMatchObject({ moves: [{ amount: '0' }, { amount: '1' }, { amount: '2' }] });
    expect(JSON.parse(storedFacts(few))).not.toHaveProperty('moreMoves');
    const text = storedFacts(factsOf({ moves }));
    const stored = JSON.parse(text) as { moves: { amount: string }[]; moreMoves: number };
    const asPostgres = text.replaceAll(/[:,]/g, '$& ');
    expect(Buffer.byteLength(asPostgres)).toBeLessThanOrEqual(2_048);
    // One more move has no room.
    const oneMore = JSON.stringify(stored.moves.at(-1)).replaceAll(/[:,]/g, '$& ');
    expect(Buffer.byteLength(asPostgres) + Buffer.byteLength(oneMore) + 2).toBeGreaterThan(2_048 - 2);
    expect(stored.moves.length + stored.moreMoves).toBe(64);
    expect(stored.moves.map(({ amount }) => amount)).toEqual(stored.moves.map((_, index) => String(index)));
  });
});

describe('the usage of a batch', () => {
  const policy = policyOf([]);
  const rule = ruleOf('allow', 'r1');
  const window = windowOf({ maxAmount: 10n });
  const spend = (...parts: [string | null, bigint][]): Spend => ({
    policy,
    rule,
    parts: parts.map(([destination, amount]) => ({ destination, amount })),
  });

  it('adds what earlier items spend, in all and to each destination', () => {
    const running = new RunningUsage(() => ({ amount: 100n, count: 7 }));
    const used = (destination: string | null) => running.usage({ policy, rule }, window, destination);
    expect(used(null)).toEqual({ amount: 100n, count: 7 });
    running.add([spend(['0xA', 1n], ['0xB', 2n])]);
    running.add([spend(['0xA', 4n])]);
    expect(used(null)).toEqual({ amount: 107n, count: 9 });
    expect(used('0xA')).toEqual({ amount: 105n, count: 9 });
    expect(used('0xB')).toEqual({ amount: 102n, count: 8 });
    expect(used('0xC')).toEqual({ amount: 100n, count: 7 });
    const other = { policy, rule: ruleOf('allow', 'r2') };
    expect(running.usage(other, window, null)).toEqual({ amount: 100n, count: 7 });
  });

  it('counts a request without a destination once', () => {
    const running = new RunningUsage(NOTHING_USED);
    running.add([spend([null, 3n])]);
    expect(running.usage({ policy, rule }, window, null)).toEqual({ amount: 3n, count: 1 });
  });
});

describe('a verdict', () => {
  const of = (match: Parameters<typeof ruleOf>[2], windows: Parameters<typeof ruleOf>[3]) => ({
    policy: policyOf([]),
    rule: ruleOf('allow', 'r', match, windows),
  });
  const allow = (by: ReturnType<typeof of>[], spends: Spend[] = []) => boundsAmount({ outcome: 'allow', by, spends });

  it('bounds an amount by the rule that lets it pass, by any window, and by those that count it', () => {
    expect(allow([of({}, [])])).toBe(false);
    expect(allow([of({}, [windowOf({ maxCount: 1 })])])).toBe(false);
    expect(allow([of({ amount: { min: 1n, max: null } }, [])])).toBe(true);
    expect(allow([of({}, []), of({}, [windowOf({ maxCount: 1 }), windowOf({ maxAmount: 1n })])])).toBe(true);
    expect(allow([of({}, [])], [{ ...of({}, [windowOf({ maxAmount: 1n })]), parts: [] }])).toBe(true);
    const asked = { ...of({ amount: { min: null, max: 1n } }, []) };
    const approvals = { group: 'agrp_g' as ApproverGroupId, count: 1, expiresIn: 60 };
    expect(boundsAmount({ outcome: 'require_approval', by: asked, approvals, spends: [] })).toBe(true);
  });
});

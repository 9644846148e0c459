import type { PolicyId } from '../../../../src/kernel/ids.js';
import {
  assertBudgetsKept,
  type BudgetHistory,
  faultsOf,
  type SpendEvent,
  type StoredDecision,
  type StoredTransfer,
} from '../budget-history.js';
import { COIN, factsOf, moveOf, policyOf, ruleOf, windowOf } from '../builders.js';

const SECOND = 1_000_000;
/** The policy is in force since long before. */
const ACTIVATED = 1_000 * SECOND;
const START = 2_000 * SECOND;

const RULE = ruleOf('allow', 'pays', { operations: ['transfer'], assets: [COIN] }, [
  windowOf({ seconds: 60, maxAmount: 10n }),
]);
const POLICY = policyOf([RULE]);

interface Step {
  readonly id: string;
  readonly amount: bigint;
  /** Seconds after the start. */
  readonly at: number;
  readonly transfer?: Partial<StoredTransfer>;
  readonly spend?: Partial<SpendEvent> | null;
  readonly decision?: Partial<StoredDecision>;
}

const decisionOf = ({ id, amount, at, decision }: Step): StoredDecision => ({
  id: `pdec_${id}`,
  at: START + at * SECOND,
  outcome: 'allow',
  policyId: POLICY.id,
  ruleId: 'pays',
  reason: null,
  operationId: id,
  walletId: 'wallet_a',
  userId: 'user_a',
  keyId: 'key_a',
  facts: factsOf({ operation: 'transfer', moves: [moveOf(amount, { asset: { network: 'ethereum', token: null } })] }),
  ...decision,
});

const spendOf = ({ id, amount, at, spend }: Step): SpendEvent => ({
  policyName: 'p0',
  ruleId: 'pays',
  operationId: id,
  part: 0,
  destination: '0xA',
  amount,
  at: START + at * SECOND,
  countedAt: spend?.at ?? START + at * SECOND,
  settledAt: null,
  isHeld: false,
  releasedAt: null,
  isSummed: true,
  ...spend,
});

const transferOf = ({ id, amount, at, transfer }: Step): StoredTransfer => ({
  id,
  chain: 'ethereum',
  status: 'completed',
  retrySafe: null,
  decisionId: `pdec_${id}`,
  amount,
  signed: 1,
  signedAt: START + at * SECOND,
  endedAt: START + (at + 1) * SECOND,
  ...transfer,
});

function historyOf(steps: readonly Step[], policies = [POLICY]): BudgetHistory {
  return {
    appId: 'app_a',
    versions: policies,
    changes: policies.map(({ id }) => ({ policyId: id, at: ACTIVATED, isActivation: true })),
    sums: [],
    spends: steps.flatMap((step) => (step.spend === null ? [] : [spendOf(step)])),
    decisions: steps.map(decisionOf),
    transfers: steps.map(transferOf),
  };
}

const denied = (id: string, amount: bigint, at: number, reason = 'window_amount'): Step => ({
  id,
  amount,
  at,
  decision: { outcome: 'deny', reason },
  spend: null,
  transfer: { status: 'unconfirmed', decisionId: null, signed: 0, signedAt: null, endedAt: null },
});

const cancelled = { status: 'cancelled', signed: 0, signedAt: null } as const;
const pending = { status: 'pending', endedAt: null } as const;
const paid = (id: string, amount: bigint, at: number): Step => ({ id, amount, at });
/** Held until then, and stuck before. Its event has been moved. */
const settled = (id: string, amount: bigint, at: number, until: number): Step => ({
  ...paid(id, amount, at),
  transfer: { endedAt: START + until * SECOND },
  spend: { at: START + until * SECOND, countedAt: START + at * SECOND, settledAt: START + until * SECOND },
});

describe('the history of a budget that was kept', () => {
  const RIGHT: Record<string, readonly Step[]> = {
    'fills the window to the unit': [paid('a', 4n, 0), paid('b', 6n, 30)],
    'counts again what left the window at the very instant': [paid('a', 10n, 0), paid('b', 10n, 60)],
    'refuses one unit more': [paid('a', 10n, 0), denied('b', 1n, 20)],
    'uses again what a cancelled transfer gave back': [
      {
        ...paid('a', 10n, 0),
        transfer: { ...cancelled, endedAt: START + 20 * SECOND },
        spend: { releasedAt: START + 20 * SECOND },
      },
      denied('b', 1n, 5),
      paid('c', 10n, 40),
    ],
    'refuses while a payment is held for longer than the window': [
      { ...paid('a', 10n, 0), transfer: pending, spend: { isHeld: true } },
      denied('b', 1n, 600),
    ],
    'refuses for as long as the window after a stuck payment is settled': [
      paid('b', 10n, -90),
      settled('a', 10n, 0, 90),
      denied('c', 1n, 140),
      paid('d', 10n, 150),
    ],
    'counts a queued payment at its signing': [
      { ...paid('a', 10n, 90), decision: { id: 'pdec_first', at: START } },
      denied('b', 1n, 80),
    ],
  };
  it.each(Object.entries(RIGHT))('%s', (name, steps) => {
    const history = historyOf(steps);
    const signedAgain = name.startsWith('counts a queued') ? [decisionOf(paid('a', 10n, 90))] : [];
    expect(
      faultsOf({ ...history, decisions: [...signedAgain, ...history.decisions].toSorted((a, b) => a.at - b.at) }),
    ).toEqual([]);
  });
});

describe('the check of budgets finds', () => {
  const WRONG: Record<string, readonly [steps: readonly Step[], fault: RegExp]> = {
    'one unit above the limit': [[paid('a', 4n, 0), paid('b', 7n, 30)], /has counted 11 of 10 when b/],
    'one unit above it at the last instant of the window': [
      [paid('a', 4n, 0), { ...paid('b', 7n, 0), spend: { at: START + 60 * SECOND - 1 } }],
      /has counted 11 of 10/,
    ],
    'an excess beside a payment that is held for longer than the window': [
      [{ ...paid('a', 10n, 0), transfer: pending, spend: { isHeld: true } }, paid('b', 1n, 600)],
      /has counted 11 of 10 when b/,
    ],
    'an excess beside a stuck payment that is settled': [
      [settled('a', 10n, 0, 90), paid('b', 1n, 120)],
      /has counted 11 of 10 when b/,
    ],
    'an excess of a payment that is settled late': [
      [paid('a', 10n, 0), settled('b', 1n, 30, 90)],
      /has counted 11 of 10 when b/,
    ],
    'a refusal by a payment that was settled before the window': [
      [settled('a', 10n, 0, 90), denied('b', 1n, 170)],
      /b was refused .*had room/,
    ],
    'an excess that was given back later': [
      [
        paid('a', 10n, 0),
        {
          ...paid('b', 1n, 5),
          transfer: { ...cancelled, endedAt: START + 9 * SECOND },
          spend: { releasedAt: START + 9 * SECOND },
        },
      ],
      /has counted 11 of 10 when b/,
    ],
    'a refusal of a request that had room to the unit': [
      [paid('a', 9n, 0), denied('b', 1n, 20)],
      /b was refused .*had room/,
    ],
    'a refusal long after an amount was given back': [
      [
        {
          ...paid('a', 10n, 0),
          transfer: { ...cancelled, endedAt: START + SECOND },
          spend: { releasedAt: START + SECOND },
        },
        denied('b', 1n, 30),
      ],
      /b was refused .*had room/,
    ],
    'a refusal for the wrong reason': [
      [paid('a', 10n, 0), denied('b', 1n, 20, 'window_count')],
      /b was refused .*window_count/,
    ],
    'a payment that is not counted': [
      [{ ...paid('a', 4n, 0), spend: null }],
      /a is completed and not counted by every scope/,
    ],
    'a payment that is counted with one unit less': [
      [{ ...paid('a', 4n, 0), spend: { amount: 3n } }],
      /a is completed and not counted/,
    ],
    'a pending payment that holds nothing': [
      [{ ...paid('a', 4n, 0), transfer: pending }],
      /a is pending and holds its amount no longer/,
    ],
    'a payment that has ended and holds its amount': [
      [{ ...paid('a', 4n, 0), spend: { isHeld: true } }],
      /a is completed and holds/,
    ],
    'an amount of a completed payment that was given back': [
      [{ ...paid('a', 4n, 0), spend: { releasedAt: START + SECOND } }],
      /The amount of a was given back, and it is completed/,
    ],
    'an amount that was given back without proof': [
      [
        {
          ...paid('a', 4n, 0),
          transfer: { status: 'failed', retrySafe: false },
          spend: { releasedAt: START + SECOND },
        },
      ],
      /The amount of a was given back, and it is failed/,
    ],
    'an amount that was given back as rejected after a payment was signed': [
      [{ ...paid('a', 4n, 0), transfer: { status: 'rejected' }, spend: { releasedAt: START + SECOND } }],
      /given back as rejected, and a payment was signed/,
    ],
    'an amount of a transfer that paid nothing and was not given back': [
      [{ ...paid('a', 4n, 0), transfer: { status: 'failed', retrySafe: true } }],
      /The amount of a was not given back/,
    ],
    'an amount of a signature that was given back': [
      [
        {
          ...paid('a', 4n, 0),
          spend: { operationId: 'pdec_x', releasedAt: START + SECOND },
          transfer: { id: 'b', ...cancelled },
        },
      ],
      /The amount of pdec_x was given back, and it is a signature/,
    ],
    'an amount that no decision has let pass': [
      [{ ...paid('a', 4n, 0), decision: { operationId: 'b' } }],
      /a is counted and no decision has let it pass/,
    ],
    'a payment that was denied': [
      [{ ...paid('a', 4n, 0), decision: { outcome: 'deny', reason: 'denied_by_rule' } }],
      /a was denied by pdec_a and is completed/,
    ],
    'a payment without a decision while a policy of the app is in force': [
      [{ ...paid('a', 4n, 0), spend: null, transfer: { decisionId: null } }],
      /a was signed without a decision/,
    ],
    'a count by a rule that no version in force has': [
      [{ ...paid('a', 4n, 0), spend: { ruleId: 'gone' } }],
      /counted by p0\/gone, which no version in force has/,
    ],
  };
  it.each(Object.entries(WRONG))('%s', (_, [steps, fault]) => {
    expect(faultsOf(historyOf(steps))).toContainEqual(expect.stringMatching(fault));
  });

  it('too many requests, and an excess of one destination', () => {
    const counting = policyOf([
      ruleOf('allow', 'pays', { operations: ['transfer'], assets: [COIN] }, [windowOf({ seconds: 60, maxCount: 1 })]),
    ]);
    const uncounted = { amount: 0n };
    expect(
      faultsOf(
        historyOf(
          [
            { ...paid('a', 4n, 0), spend: uncounted },
            { ...paid('b', 4n, 5), spend: uncounted },
          ],
          [counting],
        ),
      ),
    ).toEqual([expect.stringMatching(/2 of 1 requests/)]);
    const apart = policyOf([
      ruleOf('allow', 'pays', { operations: ['transfer'], assets: [COIN] }, [
        windowOf({ seconds: 60, maxAmount: 5n, per: 'destination' }),
      ]),
    ]);
    const toB = { facts: decisionOf(paid('b', 4n, 5)).facts };
    const moves = [moveOf(4n, { asset: { network: 'ethereum', token: null }, destination: '0xB' })];
    const another: Step = {
      ...paid('b', 4n, 5),
      spend: { destination: '0xB' },
      decision: { facts: { ...toB.facts, moves } },
    };
    expect(faultsOf(historyOf([paid('a', 4n, 0), another], [apart]))).toEqual([]);
    expect(faultsOf(historyOf([paid('a', 4n, 0), paid('b', 4n, 5)], [apart]))).toEqual([
      expect.stringMatching(/8 of 5/),
    ]);
  });

  it('a payment that only one of two scopes has counted', () => {
    const ofKey = {
      ...policyOf([RULE], { name: 'p1', id: 'pol_p1' as PolicyId }),
      scope: { kind: 'key' as const, id: 'key_a' },
    };
    const history = historyOf([paid('a', 4n, 0)], [POLICY, ofKey]);
    expect(faultsOf(history)).toEqual([expect.stringMatching(/a is completed and not counted by every scope/)]);
    const spends = [...history.spends, { ...history.spends[0]!, policyName: 'p1' }];
    expect(faultsOf({ ...history, spends })).toEqual([]);
  });
});

it('a stored sum that is not that of its events is a fault', () => {
  const history = historyOf([paid('a', 4n, 0), paid('b', 4n, 5)]);
  const sum = { policyName: 'p0', ruleId: 'pays', destination: '', seconds: 60, since: START, amount: 4n, count: 1n };
  const all = { ...sum, since: START - 1, amount: 8n, count: 2n };
  expect(faultsOf({ ...history, sums: [sum, all, { ...all, destination: '0xA' }] })).toEqual([]);
  for (const wrong of [
    { ...sum, amount: 5n },
    { ...sum, count: 2n },
    { ...all, destination: '0xB' },
  ])
    expect(faultsOf({ ...history, sums: [wrong] })).toEqual([expect.stringMatching(/^The sum of p0\/pays to /)]);
});

it('a fault is reported with the whole history', () => {
  expect(() => assertBudgetsKept(historyOf([paid('a', 4n, 0), paid('b', 7n, 30)]))).toThrow(
    /p0\/pays has counted 11 of 10(.|\n)*a counts 4 in p0\/pays(.|\n)*b counts 7 in p0\/pays/,
  );
});

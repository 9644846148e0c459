import type { ApproverGroupId } from '../../../src/kernel/ids.js';
import type { Facts, Move } from '../../../src/modules/policy/rules/domain/facts.js';
import {
  EFFECTS,
  type Match,
  OPERATIONS,
  type Policy,
  type Rule,
  type Window,
} from '../../../src/modules/policy/rules/domain/policy.js';
import { COIN, OTHER_COIN, type PastSpend, policyOf, ruleOf, TOKEN } from './builders.js';

/** Most requests and rules are about one token, so that they meet. */
const ASSETS = [TOKEN, TOKEN, TOKEN, COIN, OTHER_COIN];
const NETWORKS = ['ethereum', 'base'];
const DESTINATIONS = ['0xA', '0xB', '0xC'];
const SCOPES: readonly Policy['scope'][] = [
  { kind: 'app', id: 'app_a' },
  { kind: 'wallet', id: 'wallet_w' },
];

/** Pseudo-random choices that are deterministic for a seed (mulberry32, which has a period of 2^32). */
export class Chance {
  constructor(private state: number) {}

  private next(): number {
    this.state = (this.state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  is(probability: number): boolean {
    return this.next() < probability;
  }

  of<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!;
  }

  /** At least one of the values, in their order. */
  some<T>(values: readonly T[]): T[] {
    const chosen = values.filter(() => this.is(0.6));
    return chosen.length > 0 ? chosen : [this.of(values)];
  }

  list<T>(max: number, make: (index: number) => T): T[] {
    return Array.from({ length: this.below(max + 1) }, (_, index) => make(index));
  }
}

export function randomMatch(chance: Chance): Match {
  const absent = (): boolean => chance.is(0.6);
  const assets = absent() ? null : chance.is(0.6) ? [chance.of(ASSETS)] : chance.some([TOKEN, COIN, OTHER_COIN]);
  const [min, max] = [chance.is(0.5) ? null : BigInt(chance.below(4)), chance.is(0.3) ? null : BigInt(chance.below(8))];
  return {
    operations: chance.is(0.5) ? null : chance.some(OPERATIONS),
    networks: absent() ? null : chance.some(NETWORKS),
    assets,
    destinations: absent() ? null : chance.some(DESTINATIONS),
    amount: assets?.length === 1 && chance.is(0.5) ? { min, max } : null,
  };
}

export function randomWindow(chance: Chance, { assets }: Match): Window {
  const boundsAmount = assets?.length === 1 && chance.is(0.8);
  return {
    seconds: chance.of([60, 3600]),
    maxAmount: boundsAmount ? BigInt(chance.below(8)) : null,
    maxCount: !boundsAmount || chance.is(0.3) ? chance.below(4) : null,
    per: chance.is(0.6) ? 'policy' : 'destination',
  };
}

export function randomRule(chance: Chance, id: string): Rule {
  const effect = chance.of(['allow', 'allow', 'allow', ...EFFECTS, 'require_approval'] as const);
  const match = chance.is(0.3) ? { ...randomMatch(chance), assets: [TOKEN] } : randomMatch(chance);
  const windows = effect === 'deny' || chance.is(0.3) ? [] : chance.list(2, () => randomWindow(chance, match));
  // A deny rule for everything would hide all that the test is about.
  if (effect === 'deny')
    return ruleOf(effect, id, { ...match, destinations: match.destinations ?? [chance.of(DESTINATIONS)] });
  const rule = ruleOf(effect, id, match, windows);
  if (!rule.approvals) return rule;
  const group = chance.of(['agrp_g', 'agrp_h']) as ApproverGroupId;
  return { ...rule, approvals: { group, count: 1 + chance.below(3), expiresIn: chance.of([60, 600]) } };
}

export function randomPolicy(chance: Chance, name: string): Policy {
  const rules = Array.from({ length: 1 + chance.below(3) }, (_, index) => randomRule(chance, `r${index}`));
  return policyOf(chance.is(0.03) ? [] : rules, { name, scope: chance.of(SCOPES) });
}

function randomMove(chance: Chance): Move {
  const { network, token } = chance.of(ASSETS);
  const rarely = (): boolean => chance.is(0.07);
  return {
    asset: rarely() ? 'missing' : { network, token },
    destination: rarely() ? 'missing' : chance.of(DESTINATIONS),
    amount: rarely() ? 'missing' : chance.is(0.15) ? 'unlimited' : BigInt(chance.below(6)),
  };
}

export function randomFacts(chance: Chance): Facts {
  const operation = chance.of(OPERATIONS);
  if (operation === 'sign_message' || operation === 'export')
    return { operation, network: 'not_applicable', moves: 'not_applicable', isDelegation: false };
  const hasOneMove = operation === 'transfer' || chance.is(0.5);
  const moves = hasOneMove ? [randomMove(chance)] : chance.list(3, () => randomMove(chance));
  return {
    operation,
    network: chance.is(0.05) ? 'missing' : chance.of(NETWORKS),
    moves: operation !== 'transfer' && chance.is(0.1) ? 'missing' : moves,
    isDelegation: operation !== 'transfer' && chance.is(0.2),
  };
}

export function randomHistory(chance: Chance): PastSpend[] {
  return chance.list(6, () => ({
    rule: `${chance.of(['p0', 'p0', 'p1', 'p2'])}/${chance.of(['r0', 'r1', 'r2'])}`,
    operationId: `${chance.below(5)}`,
    destination: chance.is(0.1) ? null : chance.of(DESTINATIONS),
    amount: BigInt(chance.below(9)),
    ageSeconds: chance.of([30, 60, 600]),
  }));
}

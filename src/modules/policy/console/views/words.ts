import type { components, PolicyRule } from '../../../../../openapi/client/src/index.js';
import { fill } from '../../../../console/text.js';
import texts from './texts.json' with { type: 'json' };

const t = texts.words;

export type Scope = components['schemas']['PolicyScope'];
export type NameOfGroup = (id: string) => string;

const either = new Intl.ListFormat('en', { type: 'disjunction' });
const all = new Intl.ListFormat('en', { type: 'conjunction' });

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

export function lengthOf(seconds: number): string {
  const [unit, length] = UNITS.find(([name, of]) => seconds % of === 0 && (seconds > of || isNamed(name)))!;
  const count = seconds / length;
  return count === 1 && isNamed(unit) ? t[`one${unit}`] : fill(t[unit], { count });
}

/** The seconds of a length as people write it, such as "7 days"; null for another text. */
export function secondsIn(length: string): number | null {
  const [, count, unit] = /^(\d+)\s*(second|minute|hour|day)s?$/i.exec(length.trim()) ?? [];
  return unit ? Number(count) * UNITS.find(([name]) => name === unit.toLowerCase())![1] : null;
}

/** A day is 24 hours, because a budget does not end at midnight. */
const isNamed = (unit: string): unit is 'hour' | 'minute' => unit === 'hour' || unit === 'minute';

/** Every rule in words, and what becomes of a request that none allows. */
export const policyInWords = (scope: Scope, rules: readonly PolicyRule[], nameOf: NameOfGroup): readonly string[] => [
  ...rules.map((rule) => ruleInWords(rule, nameOf)),
  ...(rules.some(allowsAll) ? [] : [fill(t.everythingElse, { scope: scopeInWords(scope) })]),
];

const allowsAll = ({ effect, match, windows }: PolicyRule): boolean =>
  effect === 'allow' && Object.keys(match ?? {}).length === 0 && (windows ?? []).length === 0;

export const scopeInWords = ({ kind, id = '' }: Scope): string => fill(texts.scopes[kind], { id });

export function ruleInWords({ effect, match = {}, windows = [], approvals }: PolicyRule, nameOf: NameOfGroup): string {
  const { operations, networks, assets, destinations = [], amount = {} } = match;
  const { min, max } = amount;
  const uses = [
    t[effect],
    operations ? all.format(operations.map((operation) => t[operation])) : t.anything,
    assets && fill(t.of, { assets: either.format(assets) }),
    networks && fill(t.on, { networks: either.format(networks) }),
    destinations.length > 1
      ? fill(t.toSome, { count: destinations.length })
      : destinations[0] && fill(t.to, { destination: destinations[0] }),
    min && max ? fill(t.between, { min, max }) : max ? fill(t.upTo, { max }) : min && fill(t.from, { min }),
  ];
  const agreed =
    approvals &&
    fill(t.approvedBy, {
      count: approvals.count,
      group: nameOf(approvals.group),
      time: lengthOf(approvals.expires_in),
    });
  return `${[uses.filter(Boolean).join(' '), ...windows.flatMap(budgets), agreed].filter(Boolean).join(', ')}.`;
}

/** Whether a budget of the rule counts signatures that are returned, which may be carried out much later. */
export function countsSignatures({ match = {}, windows = [] }: PolicyRule): boolean {
  const { operations } = match;
  const isReturned = !operations || operations.some((operation) => RETURNED.includes(operation));
  return windows.length > 0 && isReturned;
}

const RETURNED: readonly string[] = ['sign_transaction', 'sign_typed_data'];

function budgets({ seconds, max_amount, max_count, per }: NonNullable<PolicyRule['windows']>[number]): string[] {
  const time = lengthOf(seconds);
  const bounds = [
    max_amount !== undefined && fill(t.mostAmount, { amount: max_amount, time }),
    max_count !== undefined && fill(max_count === 1 ? t.mostOne : t.mostCount, { count: max_count, time }),
  ].filter((bound) => bound !== false);
  return bounds.map((bound) => (per === 'destination' ? `${bound} ${t.perDestination}` : bound));
}

/** A subject other than a use of a key may be in words already, as a change of policies is. */
export function subjectOf(payload: Readonly<Record<string, unknown>>): string {
  const a = texts.approval;
  const value = (name: string): string => {
    const found = payload[name];
    return typeof found === 'string' ? found : '';
  };
  switch (payload['operation']) {
    case 'transfer': {
      const [amount, currency, destination] = [value('amount'), value('currency'), value('destination')];
      const payment = fill(a.pays, { amount, currency, destination, network: value('network') });
      return payload['max_fee'] ? fill(a.paysFee, { payment, fee: value('max_fee') }) : payment;
    }
    case 'sign_message':
      return fill(a.signsMessage, { message: shortened(value('message')) });
    case 'sign_typed_data':
      return fill(a.signsTypedData, { type: value('primary_type') });
    case 'sign_transaction':
      return fill(a.signsTransaction, { to: value('to'), network: value('network') });
    case 'export':
      return a.exports;
    default:
      return value('summary') || value('operation').replaceAll('_', ' ');
  }
}

const shortened = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)} …` : text);

export function valuesIn(value: unknown, path = ''): readonly (readonly [path: string, value: string])[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => valuesIn(item, `${path}[${index}]`));
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([name, member]) => valuesIn(member, path === '' ? name : `${path}.${name}`));
  return [[path, String(value)]];
}

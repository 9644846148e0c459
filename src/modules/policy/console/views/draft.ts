import type { components, PolicyRule } from '../../../../../openapi/client/src/index.js';
import { fill } from '../../../../console/text.js';
import { type Entries, type Field, fieldsOf } from '../../../../console/ui/form.js';
import texts from './texts.json' with { type: 'json' };
import { lengthOf, secondsIn } from './words.js';

/** Text that was entered as JSON may have members and values that the service refuses. */
export type Draft = components['schemas']['CreatePolicyRequest'];
type Window = NonNullable<PolicyRule['windows']>[number];

export const OPERATIONS = ['transfer', 'sign_message', 'sign_typed_data', 'sign_transaction', 'export'] as const;
const EFFECTS = ['allow', 'deny', 'require_approval'] as const;
const KINDS = ['app', 'wallet', 'user', 'key', 'client'] as const;

const ofDraft = fieldsOf(texts.draft);
const ofRule = fieldsOf(texts.rule);

export const EMPTY: Draft = { name: '', scope: { kind: 'app' }, rules: [{ effect: 'allow' }] };
export const NEW_WINDOW: Window = { seconds: 86_400, per: 'policy' };

export const jsonOf = (draft: Draft): string => JSON.stringify(draft, null, 2);

export function draftIn(text: string): Draft | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return fill(texts.draft.notJson, { reason: (error as Error).message });
  }
  const isDraft = isObject(value) && Array.isArray(value['rules']) && value['rules'].every(isObject);
  return isDraft ? (value as unknown as Draft) : texts.draft.notDraft;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string => (['string', 'number'].includes(typeof value) ? String(value) : '');

export const windowsOf = ({ windows }: PolicyRule): Partial<Window>[] => listOf(windows).filter(isObject);

export const needsApprovals = ({ effect, approvals }: PolicyRule): boolean =>
  effect === 'require_approval' || approvals !== undefined;

/** The names of the inputs are the paths at which the service refuses a value. */
export function fieldsOfDraft(
  { name, scope, rules }: Draft,
  groups: Options,
  holders: Readonly<Partial<Record<Draft['scope']['kind'], Options>>> = {},
): Field[] {
  const ofKind = holders[scope?.kind] ?? [];
  const picked = ofKind.length > 0 && { options: withChosen(ofKind, scope?.id) };
  return [
    ofDraft('name', { value: textOf(name), isRequired: true }),
    { ...ofDraft('kind', choice(scope?.kind, KINDS, texts.draft.kinds)), name: 'scope.kind' },
    ...(scope?.kind === 'app' ? [] : [ofDraft('scope.id', { value: textOf(scope?.id), isRequired: true, ...picked })]),
    ...rules.flatMap((rule, index) => fieldsOfRule(rule, `rules[${index}]`, groups)),
  ];
}

function fieldsOfRule(rule: PolicyRule, at: string, groups: readonly (readonly [string, string])[]): Field[] {
  const { id, effect, match = {}, approvals } = rule;
  const lines = (value: unknown) => ({ lines: listOf(value).map(textOf) });
  return [
    ofRule(`${at}.id`, { value: textOf(id) }),
    ofRule(`${at}.effect`, choice(effect, EFFECTS, texts.rule.effects)),
    ...OPERATIONS.map((operation) => ({
      name: `${at}.match.operations ${operation}`,
      label: texts.words[operation],
      type: 'checkbox' as const,
      value: listOf(match.operations).includes(operation),
    })),
    ofRule(`${at}.match.networks`, lines(match.networks)),
    ofRule(`${at}.match.assets`, lines(match.assets)),
    ofRule(`${at}.match.destinations`, lines(match.destinations)),
    ofRule(`${at}.match.amount.min`, { value: textOf(match.amount?.min) }),
    ofRule(`${at}.match.amount.max`, { value: textOf(match.amount?.max) }),
    ...windowsOf(rule).flatMap((window, index) => fieldsOfWindow(window, `${at}.windows[${index}]`)),
    ...(needsApprovals(rule)
      ? [
          ofRule(`${at}.approvals.group`, {
            value: textOf(approvals?.group),
            options: withChosen(groups, approvals?.group),
          }),
          ofRule(`${at}.approvals.count`, { type: 'number', value: textOf(approvals?.count) }),
          ofRule(`${at}.approvals.expires_in`, { value: lengthIn(approvals?.expires_in) }),
        ]
      : []),
  ];
}

const lengthIn = (seconds: unknown): string =>
  Number.isInteger(seconds) && Number(seconds) > 0 ? lengthOf(Number(seconds)) : textOf(seconds);

function fieldsOfWindow({ seconds, max_amount, max_count, per }: Partial<Window>, at: string): Field[] {
  return [
    ofRule(`${at}.seconds`, { value: lengthIn(seconds) }),
    ofRule(`${at}.max_amount`, { value: textOf(max_amount) }),
    ofRule(`${at}.max_count`, { type: 'number', value: textOf(max_count) }),
    ofRule(`${at}.per`, choice(per, ['policy', 'destination'], texts.rule.perOptions)),
  ];
}

type Options = readonly (readonly [string, string])[];

function choice<Value extends string>(chosen: unknown, values: readonly Value[], names: Record<Value, string>) {
  const options: Options = values.map((value) => [value, names[value]]);
  return { value: textOf(chosen), options: withChosen(options, chosen) };
}

/** A select shows its first option if it lacks the chosen one. */
export const withChosen = (options: Options, chosen: unknown): Options =>
  options.some(([value]) => value === textOf(chosen)) ? options : [[textOf(chosen), textOf(chosen)], ...options];

/** Members without an input stay, so that the service can refuse them. */
export function draftFrom(entries: Entries, { scope, rules, ...more }: Draft): Draft {
  const kind = entries.text('scope.kind') as Draft['scope']['kind'];
  const { id: _earlier, ...kept } = scope ?? {};
  const id = kind === 'app' ? undefined : entries.optional('scope.id');
  return {
    ...more,
    name: entries.text('name'),
    scope: { ...kept, kind, ...(id !== undefined && { id }) },
    rules: rules.map((rule, index) => ruleFrom(entries, `rules[${index}]`, rule)),
  };
}

/** An invalid number is sent as it was entered: the service refuses it and names the field. */
const numberOf = (entered: string | undefined): number | undefined =>
  entered === undefined || !Number.isFinite(Number(entered)) ? (entered as undefined) : Number(entered);

const secondsOf = (entered: string | undefined): number | undefined =>
  (entered === undefined ? undefined : secondsIn(entered)) ?? numberOf(entered);

function ruleFrom(entries: Entries, at: string, rule: PolicyRule): PolicyRule {
  const { id, match, windows, approvals, ...more } = rule;
  const list = (name: string): string[] | undefined => {
    const lines = entries.lines(`${at}.match.${name}`);
    return lines.length > 0 ? lines : undefined;
  };
  const effect = entries.text(`${at}.effect`) as PolicyRule['effect'];
  const operations = [
    ...OPERATIONS.filter((operation) => entries.isOn(`${at}.match.operations ${operation}`)),
    ...listOf(match?.operations).filter((each) => !OPERATIONS.includes(each as never)),
  ] as (typeof OPERATIONS)[number][];
  return present({
    id: entries.optional(`${at}.id`),
    ...more,
    effect,
    match: filled({
      ...match,
      operations: operations.length > 0 ? operations : undefined,
      networks: list('networks'),
      assets: list('assets'),
      destinations: list('destinations'),
      amount: filled({
        ...match?.amount,
        min: entries.optional(`${at}.match.amount.min`),
        max: entries.optional(`${at}.match.amount.max`),
      }),
    }),
    windows:
      windowsOf(rule).length > 0
        ? windowsOf(rule).map((window, index) => windowFrom(entries, `${at}.windows[${index}]`, window))
        : undefined,
    approvals:
      effect === 'require_approval'
        ? {
            ...approvals,
            group: entries.text(`${at}.approvals.group`),
            count: numberOf(entries.optional(`${at}.approvals.count`))!,
            expires_in: secondsOf(entries.optional(`${at}.approvals.expires_in`))!,
          }
        : undefined,
  });
}

function windowFrom(entries: Entries, at: string, window: Partial<Window>): Window {
  return present({
    ...window,
    seconds: secondsOf(entries.optional(`${at}.seconds`))!,
    max_amount: entries.optional(`${at}.max_amount`),
    max_count: numberOf(entries.optional(`${at}.max_count`)),
    per: (entries.optional(`${at}.per`) as Window['per'] | undefined) ?? 'policy',
  });
}

const present = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;

function filled<T extends object>(value: T): T | undefined {
  const found = present(value);
  return Object.keys(found).length > 0 ? found : undefined;
}

import { useState } from 'preact/hooks';
import { api, call } from '../../../../console/api.js';
import { home } from '../../../../console/root.js';
import { refusalFor } from '../../../../console/session.js';
import { fill } from '../../../../console/text.js';
import { type Entries, type Field, fieldsOf, Form } from '../../../../console/ui/form.js';
import { Icon } from '../../../../console/ui/icon.js';
import type { Draft } from './draft.js';
import { Sentence } from './shared.js';
import texts from './texts.json';
import { scopeInWords } from './words.js';

const t = texts.template;
const field = fieldsOf(t);
type Options = readonly (readonly [string, string])[];

export const TEMPLATES = ['agent', 'addresses', 'approvers'] as const;
export type Template = (typeof TEMPLATES)[number];
const ICONS = { agent: 'keys', addresses: 'redirects', approvers: 'groups', empty: 'policies' } as const;

/** The inputs offer these objects of the app. */
export interface Choices {
  readonly groups: Options;
  readonly keys: Options;
  readonly restrictedKeys: Options;
  readonly clients: Options;
  readonly currencies: Options;
}

export async function choicesOf(appId: string, groups: Options): Promise<Choices> {
  const params = { path: { app_id: appId }, query: { limit: 100 } };
  const [{ keys }, { oauth_clients: clients }, app] = await Promise.all([
    call(api.GET('/management/v1/apps/{app_id}/keys', { params })),
    call(api.GET('/management/v1/apps/{app_id}/oauth_clients', { params })),
    call(api.GET('/management/v1/apps/{app_id}', { params: { path: params.path } })),
  ]);
  const coins = app.networks ?? ['ethereum', 'solana'];
  const names = [...new Set([...coins, ...app.assets.map(({ name }) => name)])];
  const keysOf = (kinds: readonly string[]): Options =>
    keys.filter(({ kind }) => kinds.includes(kind)).map(({ id, name }) => [id, name || id] as const);
  return {
    groups,
    keys: keysOf(['secret', 'restricted']),
    restrictedKeys: keysOf(['restricted']),
    clients: clients.map(({ id, name }) => [id, name] as const),
    currencies: names.map((name) => [name, name] as const),
  };
}

/** The tiles are links, so that going back returns to the choice. */
export function Tiles({ appId, chosen }: { appId: string; chosen: Template | 'empty' }) {
  return (
    <ul class="tiles plain" aria-label={t.title}>
      {([...TEMPLATES, 'empty'] as const).map((name) => (
        <li key={name}>
          <a
            class="tile"
            href={`${home}/apps/${appId}/policies/new${name === 'empty' ? '' : `?template=${name}`}`}
            aria-current={name === chosen ? 'true' : undefined}
          >
            <Icon of={ICONS[name]} /> <strong>{t.names[name]}</strong>
            <span class="hint">{t.notes[name]}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

const PERIODS = Object.entries(t.periods);
const DAY = '86400';

function fieldsFor(template: Template, { groups, keys, restrictedKeys, clients, currencies }: Choices): Field[] {
  // An agent must not hold a secret key, which is that of the backend.
  const fitting = template === 'agent' ? restrictedKeys : keys;
  const holders: Options = [
    ...fitting.map(([id, name]) => [`key ${id}`, fill(t.key, { name })] as const),
    ...clients.map(([id, name]) => [`client ${id}`, fill(t.client, { name })] as const),
  ];
  const scopes: Options = [['app ', scopeInWords({ kind: 'app' })], ...holders];
  const name = field('name', { isRequired: true, value: t.names[template] });
  const currency = field('currency', { options: currencies });
  switch (template) {
    case 'agent':
      return [
        name,
        field('holder', { options: holders, isRequired: true }),
        currency,
        field('limit', { isRequired: true, value: '0.1' }),
        field('period', { options: PERIODS, value: DAY }),
        field('count', { type: 'number' }),
        { ...field('destinations', { lines: [] }), hint: t.anywhere_hint },
        ...(groups.length > 0 ? [field('above'), field('group', { options: groups })] : []),
      ];
    case 'addresses':
      return [name, field('scope', { options: scopes }), { ...field('destinations', { lines: [] }), isRequired: true }];
    case 'approvers':
      return [
        name,
        field('scope', { options: scopes }),
        currency,
        field('threshold', { isRequired: true, value: '1' }),
        field('group', { options: groups, isRequired: true }),
        field('approvals', { type: 'number', isRequired: true, value: '2' }),
        field('days', { type: 'number', isRequired: true, value: '2' }),
      ];
  }
}

const TRANSFERS = ['transfer'] as ['transfer'];

/** A day for approvers of an agent, who pays small amounts alone. */
const AGENT_EXPIRES = 86_400;

function draftOf(template: Template, entries: Entries): Draft {
  const [kind = 'app', id = ''] = entries.text(template === 'agent' ? 'holder' : 'scope').split(' ');
  const scope = { kind: kind as 'app', ...(id !== '' && { id }) };
  const assets = [entries.text('currency')];
  const listed = entries.lines('destinations');
  const destinations = listed.length > 0 ? { destinations: listed } : {};
  const asks = (min: string, count: number, expires_in: number): Draft['rules'][number] => ({
    id: 'above',
    effect: 'require_approval',
    match: { operations: TRANSFERS, assets, ...destinations, amount: { min } },
    approvals: { group: entries.text('group'), count, expires_in },
  });
  const above = entries.optional('above');
  const count = entries.optional('count');
  const rules: Draft['rules'] = {
    agent: [
      ...(above === undefined ? [] : [asks(above, 1, AGENT_EXPIRES)]),
      {
        id: 'limit',
        effect: 'allow' as const,
        match: { operations: TRANSFERS, assets, ...destinations },
        windows: [
          {
            seconds: Number(entries.text('period')),
            max_amount: entries.text('limit'),
            ...(count !== undefined && { max_count: Number(count) }),
            per: 'policy' as const,
          },
        ],
      },
    ],
    addresses: [{ id: 'listed', effect: 'allow' as const, match: { operations: TRANSFERS, ...destinations } }],
    approvers: [
      asks(entries.text('threshold'), Number(entries.text('approvals')), Number(entries.text('days')) * 86_400),
      { id: 'below', effect: 'allow' as const, match: { operations: TRANSFERS, assets } },
    ],
  }[template];
  return { name: entries.text('name'), scope, rules };
}

interface TemplateProps {
  readonly appId: string;
  readonly template: Template;
  readonly choices: Choices;
  readonly store: (draft: Draft) => Promise<unknown>;
  /** Goes on with the draft in the inputs for every field. */
  readonly edit: (draft: Draft) => void;
}

/** Few inputs, and beside them the policy as a sentence. */
export function TemplateForm({ appId, template, choices, store, edit }: TemplateProps) {
  const fields = fieldsFor(template, choices);
  const [draft, setDraft] = useState(() => draftOf(template, initialOf(fields)));
  const base = `${home}/apps/${appId}`;
  if (template === 'agent' && choices.restrictedKeys.length + choices.clients.length === 0)
    return (
      <p class="notice">
        {t.noHolder} <a href={`${base}/keys`}>{t.keys}</a>
      </p>
    );
  if (template === 'approvers' && choices.groups.length === 0)
    return (
      <p class="notice">
        {texts.draft.noGroup} <a href={`${base}/approver-groups/new`}>{texts.groups.new}</a>
      </p>
    );
  return (
    <div class="beside">
      <Form
        fields={fields}
        submitLabel={t.store}
        refusal={refusalFor('operator')}
        layout={(input) => <div class="fields">{fields.map(({ name }) => input(name))}</div>}
        edited={(entries) => setDraft(draftOf(template, entries))}
        submit={() => store(draft)}
        extra={
          <button type="button" onClick={() => edit(draft)}>
            {t.edit}
          </button>
        }
      />
      <Sentence draft={draft} choices={choices} note={t.next} />
    </div>
  );
}

/** The inputs hold these values before an entry. A select shows its first option. */
function initialOf(fields: readonly Field[]): Entries {
  const valueOf = (name: string): string => {
    const { value, options } = fields.find((each) => each.name === name) ?? {};
    return typeof value === 'string' ? value : (options?.[0]?.[0] ?? '');
  };
  return {
    text: valueOf,
    optional: (name) => valueOf(name) || undefined,
    optionals: () => ({}) as never,
    isOn: () => false,
    lines: (name) => valueOf(name).split('\n').filter(Boolean),
  };
}

import type { components } from '../../../../openapi/client/src/index.js';
import { api, call } from '../../../console/api.js';
import type { ConsolePage, PageProps } from '../../../console/page.js';
import { epochOf, fill, text } from '../../../console/text.js';
import { Action } from '../../../console/ui/dialog.js';
import { firstCall } from '../../../console/ui/first-call.js';
import { choicesOf, type Entries, fieldsOf } from '../../../console/ui/form.js';
import { ListPage } from '../../../console/ui/list.js';
import { Time } from '../../../console/ui/states.js';
import { CREATED } from '../../../console/ui/table.js';
import texts from './texts.json';
import { home } from '../../../console/root.js';

const t = texts.keys;
const field = fieldsOf(t);

export const page: ConsolePage = {
  path: 'keys',
  title: t.title,
  group: 'build',
  icon: 'keys',
  after: 'messages',
  view: KeysPage,
};

type NewKey = components['schemas']['CreateKeyRequest'];

type Scope = NonNullable<NewKey['scopes']>[number];

/** The type requires each scope of the API document, and no other one. */
const SCOPES = Object.keys({
  'users:read': true,
  'users:write': true,
  'sessions:read': true,
  'sessions:write': true,
  'login:write': true,
  'wallets:read': true,
  'wallets:sign': true,
  'transfers:read': true,
  'transfers:write': true,
  'events:read': true,
  'webhooks:write': true,
  'policies:read': true,
  'approvals:vote': true,
} satisfies Record<Scope, true>) as Scope[];

const COMMON = [field('name'), field('expires_at', { type: 'datetime-local' })];

function commonOf(entries: Entries): Pick<NewKey, 'name' | 'expires_at'> {
  const end = entries.optional('expires_at');
  return { name: entries.text('name'), ...(end && { expires_at: epochOf(end) }) };
}

function limitsOf(entries: Entries): Pick<NewKey, 'user_id' | 'wallet_ids' | 'ip_ranges' | 'rate'> {
  const { user_id, rate } = entries.optionals('user_id', 'rate');
  const [wallets, networks] = [entries.lines('wallet_ids'), entries.lines('ip_ranges')];
  return {
    ...(user_id !== undefined && { user_id }),
    ...(wallets.length > 0 && { wallet_ids: wallets }),
    ...(networks.length > 0 && { ip_ranges: networks }),
    ...(rate !== undefined && { rate: Number(rate) }),
  };
}

function Limits({ of }: { of: components['schemas']['KeyResponse'] }) {
  const { scopes = [], user_id, wallet_ids = [], ip_ranges = [], rate } = of;
  const lines = [
    scopes.join(', '),
    user_id ? fill(t.ofUser, { id: user_id }) : '',
    wallet_ids.length > 0 ? fill(t.ofWallets, { ids: wallet_ids.join(', ') }) : '',
    ip_ranges.length > 0 ? fill(t.fromNetworks, { networks: ip_ranges.join(', ') }) : '',
    rate ? fill(t.atRate, { rate }) : '',
  ];
  return lines.filter((line) => line !== '').map((line) => <div key={line}>{line}</div>);
}

function KeysPage({ appId }: PageProps) {
  const path = { app_id: appId };
  const create = (body: NewKey) => call(api.POST('/management/v1/apps/{app_id}/keys', { params: { path }, body }));
  return (
    <ListPage
      text={t}
      actions={
        <>
          <Action
            text={t}
            name="create"
            need="owner"
            isPrimary
            fields={[field('kind', { options: choicesOf(['secret', 'public']) }), ...COMMON]}
            run={(entries) => create({ kind: entries.text('kind') as 'secret' | 'public', ...commonOf(entries) })}
            secrets={({ kind, key }) => ({
              [t.key]: key,
              ...(kind === 'secret' && { [text.apps.firstCall]: firstCall(key) }),
            })}
          />
          <Action
            text={t}
            name="createRestricted"
            need="owner"
            fields={[
              ...COMMON,
              ...SCOPES.map((scope) => ({ name: scope, label: scope, type: 'checkbox' }) as const),
              field('user_id'),
              field('wallet_ids', { lines: [] }),
              field('ip_ranges', { lines: [] }),
              field('rate', { type: 'number' }),
            ]}
            run={(entries) =>
              create({
                kind: 'restricted',
                ...commonOf(entries),
                scopes: SCOPES.filter((scope) => entries.isOn(scope)),
                ...limitsOf(entries),
              })
            }
            secrets={({ key }) => ({ [t.key]: key })}
          />
        </>
      }
      load={(query) => call(api.GET('/management/v1/apps/{app_id}/keys', { params: { path, query } }))}
      rows={({ keys }) => keys}
      columns={[
        {
          head: t.name,
          isName: true,
          value: ({ name }) => name,
          cell: ({ name }) => name || <span class="faint">{t.unnamed}</span>,
        },
        { head: t.kind, as: 'state', value: ({ kind }) => kind },
        { head: t.limits, cell: (key) => <Limits of={key} /> },
        {
          head: t.lastUsed,
          time: (key) => key.last_used_at,
          cell: (key) => <Time at={key.last_used_at} otherwise={text.never} />,
        },
        {
          head: t.expires_at,
          time: (key) => key.expires_at,
          cell: (key) => <Time at={key.expires_at} otherwise={t.untilRevoked} />,
        },
        CREATED,
        {
          head: t.refused,
          cell: ({ id }) => <a href={`${home}/apps/${appId}/refused-calls?key_id=${id}`}>{t.showRefused}</a>,
        },
        {
          head: text.actions,
          cell: ({ id, name }) => {
            const params = { path: { ...path, key_id: id } };
            return (
              <Action
                text={t}
                name="revoke"
                values={{ id, name: name || id }}
                need="owner"
                isDangerous
                run={() => call(api.DELETE('/management/v1/apps/{app_id}/keys/{key_id}', { params }))}
              />
            );
          },
        },
      ]}
    />
  );
}

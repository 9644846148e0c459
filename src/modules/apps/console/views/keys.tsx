import type { components } from '../../../../../openapi/client/src/index.js';
import { api, call } from '../../../../console/api.js';
import type { PageProps } from '../../../../console/page.js';
import { useLoad } from '../../../../console/load.js';
import { epochOf, fill, text } from '../../../../console/text.js';
import { Action } from '../../../../console/ui/dialog.js';
import { firstCall } from '../../../../console/ui/first-call.js';
import { choicesOf, type Entries, fieldsOf } from '../../../../console/ui/form.js';
import { ListPage } from '../../../../console/ui/list.js';
import { Line, State, Time } from '../../../../console/ui/states.js';
import { CREATED } from '../../../../console/ui/table.js';
import texts from './texts.json';
import { home } from '../../../../console/root.js';

const t = texts.keys;
const field = fieldsOf(t);

type NewKey = components['schemas']['CreateKeyRequest'];
type Key = components['schemas']['KeyResponse'];

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

/** In minutes. A select begins with its first choice. */
const OVERLAPS = [
  ['1440', t.day],
  ['10080', t.week],
  ['43200', t.month],
  ['60', t.hour],
  ['0', t.now],
] as const;

/** A new key like this one, which ends with it. */
function successorOf({ kind, name, expires_at, scopes, user_id, wallet_ids = [], ip_ranges = [], rate }: Key): NewKey {
  const shared = { kind, name, ...(expires_at !== 0 && { expires_at }) };
  if (kind !== 'restricted') return shared;
  return {
    ...shared,
    scopes,
    ...(user_id && { user_id }),
    ...(wallet_ids.length > 0 && { wallet_ids }),
    ...(ip_ranges.length > 0 && { ip_ranges }),
    ...(rate && { rate }),
  };
}

/** The policies in force that name the key by its id, and so would not bound a new key. */
async function policiesOf(appId: string, keyId: string) {
  const query = { limit: 100, state: 'active', scope: 'key', scope_id: keyId } as const;
  const params = { path: { app_id: appId }, query };
  return (await call(api.GET('/management/v1/apps/{app_id}/policies', { params }))).policies;
}

function Policies({ appId, keyId }: { appId: string; keyId: string }) {
  const { data = [] } = useLoad(() => policiesOf(appId, keyId), [keyId]);
  if (data.length === 0) return null;
  return (
    <div class="notice wait">
      <p>{t.bounded}</p>
      <ul>
        {data.map(({ id, name }) => (
          <li key={id}>
            <Line of={name} href={`${home}/apps/${appId}/policies/${id}`} />
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The keys are listed the newest first. A name may be that of unrelated keys. */
const olderIn = (keys: readonly Key[]): readonly string[] =>
  keys
    .filter(
      ({ name, kind }, index) =>
        name !== '' && keys.slice(0, index).some((newer) => newer.name === name && newer.kind === kind),
    )
    .map(({ id }) => id);

function Limits({ of }: { of: Key }) {
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

export function KeysPage({ appId }: PageProps) {
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
      rows={({ keys }) => {
        const older = olderIn(keys);
        return keys.map((key) => ({ ...key, isOlder: older.includes(key.id) }));
      }}
      columns={[
        {
          head: t.name,
          isName: true,
          value: ({ name }) => name,
          cell: ({ name, isOlder }) => (
            <>
              {name ? <Line of={name} /> : <span class="faint">{t.unnamed}</span>}{' '}
              {isOlder && <State of={t.older} tone="wait" />}
            </>
          ),
        },
        {
          head: t.kind,
          value: ({ kind }) => kind,
          cell: (key) => (
            <>
              <State of={key.kind} />
              <Limits of={key} />
            </>
          ),
        },
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
          cell: (key) => {
            const { id, name } = key;
            const params = { path: { ...path, key_id: id } };
            const shared = { text: t, values: { id, name: name || id }, need: 'owner' } as const;
            return (
              <div class="actions">
                <Action
                  {...shared}
                  name="rotate"
                  extra={<Policies appId={appId} keyId={id} />}
                  fields={[field('overlap', { options: OVERLAPS })]}
                  run={async (entries) => {
                    if ((await policiesOf(appId, id)).length > 0) throw new Error(t.notRotated);
                    return create({
                      ...successorOf(key),
                      replaces: id,
                      overlap_minutes: Number(entries.text('overlap')),
                    });
                  }}
                  secrets={(made) => ({ [t.key]: made.key })}
                />
                <Action
                  {...shared}
                  name="revoke"
                  isDangerous
                  run={() => call(api.DELETE('/management/v1/apps/{app_id}/keys/{key_id}', { params }))}
                />
              </div>
            );
          },
        },
      ]}
    />
  );
}

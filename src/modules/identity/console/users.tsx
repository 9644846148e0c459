import { api, call } from '../../../console/api.js';
import { useKept } from '../../../console/history.js';
import type { ConsolePage, PageProps } from '../../../console/page.js';
import { refusalFor } from '../../../console/session.js';
import { text } from '../../../console/text.js';
import { Action } from '../../../console/ui/dialog.js';
import { Filter } from '../../../console/ui/filter.js';
import { choicesOf, fieldsOf } from '../../../console/ui/form.js';
import { ListPage } from '../../../console/ui/list.js';
import { fullName, labelOf, type Named } from '../../../console/ui/people.js';
import { State } from '../../../console/ui/states.js';
import { CREATED } from '../../../console/ui/table.js';
import texts from './texts.json';
import { home } from '../../../console/root.js';

const t = texts.users;
const field = fieldsOf(t);
export const NAMES = ['first_name', 'middle_name', 'last_name'] as const;
export const nameFields = (now?: Named) => NAMES.map((name) => field(name, { value: now?.[name] }));
const FIELDS = [
  'email_match',
  'full_name_match',
  'phone_number_match',
  'user_id',
  'external_id',
  'wallet_public_address',
] as const;

interface Search {
  readonly field: (typeof FIELDS)[number];
  readonly value: string;
}

export const page: ConsolePage = {
  path: 'users',
  title: t.title,
  group: 'people',
  icon: 'users',
  after: '',
  view: UsersPage,
};

interface Activity {
  readonly active: boolean;
  readonly status: string;
}

const stateOf = ({ active, status }: Activity) =>
  active ? 'active' : status === 'pending' ? 'pending' : t.deactivated;

export function UserState(user: Activity) {
  const state = stateOf(user);
  return <State of={state} tone={state === t.deactivated ? 'bad' : undefined} />;
}

function UsersPage({ appId }: PageProps) {
  const path = { app_id: appId };
  const { kept, visit } = useKept();
  const refusal = refusalFor('support');
  // Another key may have signed in since the entry of the history was made.
  const search = refusal === null ? (kept.search as Search | undefined) : undefined;
  const shared = { text: t, need: 'support' } as const;
  return (
    <ListPage
      text={t}
      actions={
        <>
          <Action
            {...shared}
            name="invite"
            fields={[field('email', { isRequired: true }), ...nameFields()]}
            run={(entries) => {
              const body = { email: entries.text('email'), ...entries.optionals(...NAMES) };
              return call(api.POST('/management/v1/apps/{app_id}/users/invite', { params: { path }, body }));
            }}
          />
          <Action
            {...shared}
            name="create"
            isPrimary
            fields={[
              field('email'),
              field('phone_number'),
              ...nameFields(),
              field('external_id'),
              field('requires_verification', { type: 'checkbox' }),
            ]}
            run={(entries) => {
              const body = {
                ...entries.optionals('email', 'phone_number', ...NAMES, 'external_id'),
                requires_verification: entries.isOn('requires_verification'),
              };
              return call(api.POST('/management/v1/apps/{app_id}/users', { params: { path }, body }));
            }}
          />
        </>
      }
      search={search ? `${search.field} ${search.value}` : ''}
      load={(query) => {
        if (!search) return call(api.GET('/management/v1/apps/{app_id}/users', { params: { path, query } }));
        const filters = { operator: 'AND' as const, fields: [{ ...search, operator: 'eq' as const }] };
        const body = { ...query, filters };
        return call(api.POST('/management/v1/apps/{app_id}/users/search', { params: { path }, body }));
      }}
      rows={({ users }) => users}
      keyOf={(user) => user.user_id}
      columns={[
        { head: t.user, isName: true, value: labelOf, href: (user) => `${home}/apps/${appId}/users/${user.user_id}` },
        { head: t.name, value: fullName },
        { head: text.state, value: (row) => stateOf(row), cell: (user) => <UserState {...user} /> },
        {
          head: t.methods,
          value: (user) => [...new Set(user.idp_providers.map(({ provider }) => provider))].join(', '),
        },
        { head: t.wallets, value: (user) => user.wallets.length },
        CREATED,
      ]}
    >
      {refusal === null ? (
        <Filter
          fields={[
            { name: 'field', label: t.searchBy, options: choicesOf(FIELDS), value: search?.field },
            { name: 'value', label: t.searchFor, value: search?.value },
          ]}
          apply={(entries) => {
            const value = entries.optional('value');
            visit(value === undefined ? {} : { search: { field: entries.text('field'), value } });
          }}
        />
      ) : (
        <p class="hint">
          {t.searchRefused} {refusal}
        </p>
      )}
    </ListPage>
  );
}

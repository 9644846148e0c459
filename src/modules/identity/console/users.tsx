import { useState } from 'preact/hooks';
import type { components } from '../../../../openapi/client/src/index.js';
import { api, call } from '../../../console/api.js';
import type { ConsolePage, PageProps } from '../../../console/page.js';
import { refusalFor } from '../../../console/session.js';
import { text } from '../../../console/text.js';
import { Filter } from '../../../console/ui/filter.js';
import { choicesOf } from '../../../console/ui/form.js';
import { ListPage } from '../../../console/ui/list.js';
import { State } from '../../../console/ui/states.js';
import { CREATED } from '../../../console/ui/table.js';
import texts from './texts.json';

const t = texts.users;
const FIELDS = ['email_match', 'full_name_match', 'phone_number_match', 'user_id', 'wallet_public_address'] as const;

type User = components['schemas']['UserResponse'];
interface Search {
  readonly field: (typeof FIELDS)[number];
  readonly value: string;
}

export const page: ConsolePage = { path: 'users', title: t.title, after: '', view: UsersPage };

type Named = Pick<User, 'first_name' | 'middle_name' | 'last_name'>;
export const fullName = (user: Named): string =>
  [user.first_name, user.middle_name, user.last_name].filter(Boolean).join(' ');

export function UserState({ active, status }: { active: boolean; status: string }) {
  if (active || status === 'pending') return <State of={active ? 'active' : 'pending'} />;
  return (
    <State of="" tone="bad">
      {t.deactivated}
    </State>
  );
}

function UsersPage({ appId }: PageProps) {
  const path = { app_id: appId };
  const [search, setSearch] = useState<Search | null>(null);
  const refusal = refusalFor('operator');
  return (
    <ListPage
      text={t}
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
        {
          head: t.user,
          isName: true,
          cell: (user) => (
            <a class="wrap" href={`/console/apps/${appId}/users/${user.user_id}`}>
              {user.emails[0]?.email ?? user.phone_numbers[0]?.phone_number ?? (fullName(user) || user.user_id)}
            </a>
          ),
        },
        { head: t.name, cell: (user) => fullName(user) || text.none },
        { head: text.state, cell: (user) => <UserState {...user} /> },
        {
          head: t.methods,
          cell: (user) => [...new Set(user.idp_providers.map(({ provider }) => provider))].join(', ') || text.none,
        },
        { head: t.wallets, cell: (user) => user.wallets.length },
        CREATED,
      ]}
    >
      {refusal === null ? (
        <Filter
          fields={[
            { name: 'field', label: t.searchBy, options: choicesOf(FIELDS) },
            { name: 'value', label: t.searchFor },
          ]}
          apply={(entries) => {
            const value = entries.optional('value');
            setSearch(value === undefined ? null : { field: entries.text('field') as Search['field'], value });
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

import { useState } from 'preact/hooks';
import type { components } from '../../../openapi/client/src/index.js';
import { api, call } from '../api.js';
import { refusalFor } from '../session.js';
import { nameOf, text } from '../text.js';
import { Filter } from '../ui/filter.js';
import { choicesOf } from '../ui/form.js';
import { Badge, Page, Time } from '../ui/states.js';
import { List } from '../ui/table.js';
import type { AppPageProps } from './app-page.js';

const t = text.users;
const FIELDS = ['email_match', 'full_name_match', 'phone_number_match', 'user_id', 'wallet_public_address'] as const;

type User = components['schemas']['UserResponse'];
interface Search {
  readonly field: (typeof FIELDS)[number];
  readonly value: string;
}

export function fullName(user: { first_name: string; middle_name: string; last_name: string }): string {
  return [user.first_name, user.middle_name, user.last_name].filter(Boolean).join(' ');
}

export function UserState({ active, status }: { active: boolean; status: string }) {
  if (active) return <Badge tone="good">{nameOf('active')}</Badge>;
  return (
    <Badge tone={status === 'pending' ? 'wait' : 'bad'}>
      {status === 'pending' ? nameOf('pending') : t.deactivated}
    </Badge>
  );
}

export function UsersPage({ appId }: AppPageProps) {
  const path = { app_id: appId };
  const [search, setSearch] = useState<Search | null>(null);
  const refusal = refusalFor('operator');
  return (
    <Page title={t.title} intro={t.intro}>
      {refusal === null ? (
        <Filter
          fields={[
            {
              name: 'field',
              label: t.searchBy,
              type: 'select',
              options: choicesOf(FIELDS),
            },
            { name: 'value', label: t.searchFor, hint: undefined },
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
      <List<User>
        caption={t.title}
        empty={search ? t.noneFound : t.empty}
        inputs={[appId, search?.field, search?.value]}
        load={async (query) => {
          const page = search
            ? await call(
                api.POST('/management/v1/apps/{app_id}/users/search', {
                  params: { path },
                  body: {
                    ...query,
                    filters: {
                      operator: 'AND',
                      fields: [{ field: search.field, operator: 'eq', value: search.value }],
                    },
                  },
                }),
              )
            : await call(
                api.GET('/management/v1/apps/{app_id}/users', {
                  params: { path, query },
                }),
              );
          return { rows: page.users, hasMore: page.has_more };
        }}
        cursorOf={(user) => user.user_id}
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
          { head: text.apps.created, cell: (user) => <Time at={user.created_at} /> },
        ]}
      />
    </Page>
  );
}

import { api, call } from '../api.js';
import type { AppPageProps } from './app-page.js';
import { epochOf, fill, nameOf, text } from '../text.js';
import { Action } from '../ui/dialog.js';
import { choicesOf } from '../ui/form.js';
import { Badge, Page, Time } from '../ui/states.js';
import { List } from '../ui/table.js';

const t = text.keys;

export function KeysPage({ appId }: AppPageProps) {
  const path = { app_id: appId };
  return (
    <Page
      title={t.title}
      intro={t.intro}
      actions={
        <Action
          label={t.create}
          title={t.create}
          body={t.createBody}
          need="owner"
          isPrimary
          fields={[
            {
              name: 'kind',
              label: t.kind,
              type: 'select',
              options: choicesOf(['secret', 'public']),
            },
            { name: 'name', label: t.name, hint: t.nameHint },
            { name: 'expires_at', label: t.expires, type: 'datetime-local', hint: t.expiresHint },
          ]}
          run={async (entries) => {
            const end = entries.optional('expires_at');
            const made = await call(
              api.POST('/management/v1/apps/{app_id}/keys', {
                params: { path },
                body: {
                  kind: entries.text('kind') as 'secret' | 'public',
                  name: entries.text('name'),
                  ...(end && { expires_at: epochOf(end) }),
                },
              }),
            );
            return [{ label: t.key, value: made.key }];
          }}
        />
      }
    >
      <List
        caption={t.title}
        empty={t.empty}
        inputs={[appId]}
        load={async (query) => {
          const page = await call(api.GET('/management/v1/apps/{app_id}/keys', { params: { path, query } }));
          return { rows: page.keys, hasMore: page.has_more };
        }}
        cursorOf={({ id }) => id}
        columns={[
          { head: t.name, isName: true, cell: ({ name }) => name || <span class="faint">{t.unnamed}</span> },
          { head: t.kind, cell: ({ kind }) => <Badge>{nameOf(kind)}</Badge> },
          { head: t.lastUsed, cell: (key) => <Time at={key.last_used_at} otherwise={text.never} /> },
          { head: t.expires, cell: (key) => <Time at={key.expires_at} otherwise={t.untilRevoked} /> },
          { head: text.apps.created, cell: (key) => <Time at={key.created_at} /> },
          {
            head: text.actions,
            cell: ({ id, name }) => (
              <Action
                label={t.revoke}
                title={fill(t.revokeTitle, { name: name || id })}
                body={fill(t.revokeBody, { id })}
                confirm={t.revokeConfirm}
                need="owner"
                isDangerous
                run={async () => {
                  await call(
                    api.DELETE('/management/v1/apps/{app_id}/keys/{key_id}', {
                      params: { path: { ...path, key_id: id } },
                    }),
                  );
                }}
              />
            ),
          },
        ]}
      />
    </Page>
  );
}

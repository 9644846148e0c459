import { api, call } from '../api.js';
import type { AppPageProps } from './app-page.js';
import { fill, nameOf, text } from '../text.js';
import { Action } from '../ui/dialog.js';
import { choicesOf } from '../ui/form.js';
import { Badge, Page, Time } from '../ui/states.js';
import { List } from '../ui/table.js';

const t = text.redirects;
const KINDS = ['login', 'registration', 'invite'] as const;

export function RedirectUrlsPage({ appId }: AppPageProps) {
  const path = { app_id: appId };
  return (
    <Page
      title={t.title}
      intro={t.intro}
      actions={
        <Action
          label={t.add}
          title={t.add}
          body={t.addBody}
          need="owner"
          isPrimary
          fields={[
            { name: 'url', label: t.url, type: 'url', hint: t.urlHint, isRequired: true },
            {
              name: 'kind',
              label: t.kind,
              type: 'select',
              options: choicesOf(KINDS),
            },
            { name: 'is_default', label: t.default, type: 'checkbox', hint: t.defaultHint, value: true },
          ]}
          run={async (entries) => {
            await call(
              api.POST('/management/v1/apps/{app_id}/redirect_urls', {
                params: { path },
                body: {
                  url: entries.text('url'),
                  kind: entries.text('kind') as (typeof KINDS)[number],
                  is_default: entries.isOn('is_default'),
                },
              }),
            );
          }}
        />
      }
    >
      <List
        caption={t.title}
        empty={t.empty}
        inputs={[appId]}
        load={async (query) => {
          const page = await call(api.GET('/management/v1/apps/{app_id}/redirect_urls', { params: { path, query } }));
          return { rows: page.redirect_urls, hasMore: page.has_more };
        }}
        cursorOf={({ id }) => id}
        columns={[
          { head: t.url, isName: true, cell: ({ url }) => <span class="wrap">{url}</span> },
          { head: t.kind, cell: ({ kind }) => nameOf(kind) },
          { head: t.default, cell: (row) => (row.is_default ? <Badge tone="good">{text.yes}</Badge> : text.no) },
          { head: text.apps.created, cell: (row) => <Time at={row.created_at} /> },
          {
            head: text.actions,
            cell: ({ id, url, kind }) => (
              <Action
                label={t.remove}
                title={t.removeTitle}
                body={fill(t.removeBody, { url, kind: nameOf(kind) })}
                confirm={t.removeConfirm}
                need="owner"
                isDangerous
                run={async () => {
                  await call(
                    api.DELETE('/management/v1/apps/{app_id}/redirect_urls/{rurl_id}', {
                      params: { path: { ...path, rurl_id: id } },
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

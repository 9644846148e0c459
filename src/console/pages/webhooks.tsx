import { Badge, Page, Time } from '../ui/states.js';
import { api, call } from '../api.js';
import { nameOf, text } from '../text.js';
import { Action } from '../ui/dialog.js';
import type { Entries, Field } from '../ui/form.js';
import { List } from '../ui/table.js';
import type { AppPageProps } from './app-page.js';

const t = text.webhooks;

export interface EndpointSettings {
  readonly url: string;
  readonly description: string;
  readonly event_types: readonly string[];
  readonly ordered: boolean;
}

export function endpointFields(now?: EndpointSettings): Field[] {
  return [
    { name: 'url', label: t.url, type: 'url', hint: t.urlHint, value: now?.url, isRequired: true },
    { name: 'description', label: t.description, value: now?.description },
    { name: 'event_types', label: t.types, type: 'textarea', hint: t.typesHint, value: now?.event_types.join('\n') },
    { name: 'ordered', label: t.ordered, type: 'checkbox', hint: t.orderedHint, value: now?.ordered },
  ];
}

export function endpointIn(entries: Entries) {
  return {
    url: entries.text('url'),
    description: entries.text('description'),
    event_types: entries.lines('event_types'),
    ordered: entries.isOn('ordered'),
  };
}

export function EndpointState({ reason }: { reason: string }) {
  if (reason === '') return <Badge tone="good">{t.sending}</Badge>;
  return (
    <Badge tone="bad">
      {t.disabled}: {nameOf(reason)}
    </Badge>
  );
}

export function WebhooksPage({ appId }: AppPageProps) {
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
          need="operator"
          isPrimary
          fields={endpointFields()}
          run={async (entries) => {
            const body = endpointIn(entries);
            const made = await call(
              api.POST('/management/v1/apps/{app_id}/webhook_endpoints', { params: { path }, body }),
            );
            return [{ label: t.secret, value: made.secret }];
          }}
        />
      }
    >
      <List
        caption={t.title}
        empty={t.empty}
        inputs={[appId]}
        load={async (query) => {
          const page = await call(
            api.GET('/management/v1/apps/{app_id}/webhook_endpoints', { params: { path, query } }),
          );
          return { rows: page.webhook_endpoints, hasMore: page.has_more };
        }}
        cursorOf={({ id }) => id}
        columns={[
          {
            head: t.url,
            isName: true,
            cell: ({ id, url }) => (
              <a class="wrap" href={`/console/apps/${appId}/webhooks/${id}`}>
                {url}
              </a>
            ),
          },
          { head: t.description, cell: ({ description }) => description || text.none },
          { head: t.types, cell: (row) => row.event_types.join(', ') || text.all },
          { head: text.state, cell: (row) => <EndpointState reason={row.disabled_reason} /> },
          { head: text.apps.created, cell: (row) => <Time at={row.created_at} /> },
        ]}
      />
    </Page>
  );
}

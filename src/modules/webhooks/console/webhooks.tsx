import { api, call } from '../../../console/api.js';
import type { ConsolePage, PageProps } from '../../../console/page.js';
import { isoTime, nameOf, text } from '../../../console/text.js';
import { Action } from '../../../console/ui/dialog.js';
import { type Entries, type Field, fieldsOf } from '../../../console/ui/form.js';
import { ListPage } from '../../../console/ui/list.js';
import { State, Time } from '../../../console/ui/states.js';
import { CREATED } from '../../../console/ui/table.js';
import texts from './texts.json';
import { home } from '../../../console/root.js';

const t = texts.webhooks;
const field = fieldsOf(t);

export const page: ConsolePage = {
  path: 'webhooks',
  title: t.title,
  group: 'build',
  icon: 'webhooks',
  after: 'connections',
  view: WebhooksPage,
};

interface EndpointSettings {
  readonly url: string;
  readonly description: string;
  readonly event_types: readonly string[];
  readonly ordered: boolean;
}

export const endpointFields = (now?: EndpointSettings): Field[] => [
  field('url', { type: 'url', value: now?.url, isRequired: true }),
  field('description', { value: now?.description }),
  field('event_types', { lines: now?.event_types ?? [] }),
  field('ordered', { type: 'checkbox', value: now?.ordered }),
];

export const endpointIn = (entries: Entries) => ({
  url: entries.text('url'),
  description: entries.text('description'),
  event_types: entries.lines('event_types'),
  ordered: entries.isOn('ordered'),
});

interface EndpointHealth {
  readonly disabled_reason: string;
  readonly failing_since: number;
}

const stateOf = ({ disabled_reason: reason, failing_since: since }: EndpointHealth): string =>
  reason === ''
    ? since === 0
      ? t.sending
      : `${t.failingSince} ${isoTime(since)}`
    : `${t.disabled}: ${nameOf(reason)}`;

export function EndpointState({ disabled_reason: reason, failing_since: since }: EndpointHealth) {
  if (reason !== '')
    return (
      <State of="failed">
        {t.disabled}: {nameOf(reason)}
      </State>
    );
  if (since === 0) return <State of="ok">{t.sending}</State>;
  return (
    <State of="failed">
      {t.failingSince} <Time at={since} />
    </State>
  );
}

function WebhooksPage({ appId }: PageProps) {
  const path = { app_id: appId };
  return (
    <ListPage
      text={t}
      actions={
        <Action
          text={t}
          name="add"
          need="operator"
          isPrimary
          fields={endpointFields()}
          run={(entries) => {
            const body = endpointIn(entries);
            return call(api.POST('/management/v1/apps/{app_id}/webhook_endpoints', { params: { path }, body }));
          }}
          secrets={({ secret }) => ({ [t.secret]: secret })}
        />
      }
      load={(query) => call(api.GET('/management/v1/apps/{app_id}/webhook_endpoints', { params: { path, query } }))}
      rows={(page) => page.webhook_endpoints}
      columns={[
        {
          head: t.url,
          isName: true,
          value: ({ url }) => url,
          href: ({ id }) => `${home}/apps/${appId}/webhooks/${id}`,
        },
        { head: t.description, value: ({ description }) => description },
        { head: t.event_types, value: (row) => row.event_types.join(', ') || text.all },
        { head: text.state, value: (row) => stateOf(row), cell: (row) => <EndpointState {...row} /> },
        CREATED,
      ]}
    />
  );
}

import { api, call } from '../../../console/api.js';
import type { ConsolePage, PageProps } from '../../../console/page.js';
import { nameOf, text } from '../../../console/text.js';
import { Action } from '../../../console/ui/dialog.js';
import { stateFilter } from '../../../console/ui/filter.js';
import { ListPage } from '../../../console/ui/list.js';
import { CREATED } from '../../../console/ui/table.js';
import texts from './texts.json';

const t = texts.messages;

export const page: ConsolePage = {
  path: 'messages',
  title: t.title,
  group: 'people',
  icon: 'messages',
  after: 'transfers',
  view: MessagesPage,
};

function MessagesPage({ appId }: PageProps) {
  const path = { app_id: appId };
  return (
    <ListPage
      text={t}
      filters={[stateFilter(['pending', 'sent', 'failed']), { name: 'user_id', label: nameOf('user_id') }]}
      load={(query) => call(api.GET('/management/v1/apps/{app_id}/messages', { params: { path, query } }))}
      rows={({ messages }) => messages}
      isPending={({ status }) => status === 'pending'}
      columns={[
        { head: t.recipient, isName: true, value: ({ recipient }) => recipient },
        { head: t.channel, value: ({ channel }) => nameOf(channel) },
        { head: t.kind, value: ({ kind }) => nameOf(kind) },
        { head: text.state, as: 'state', value: ({ status }) => status },
        { head: t.attempts, value: ({ attempts }) => attempts },
        { head: t.lastError, value: (row) => row.last_error },
        CREATED,
        { head: t.sent, time: (row) => row.sent_at },
        {
          head: text.actions,
          cell: ({ id, recipient }) => {
            const params = { path: { ...path, message_id: id } };
            return (
              <Action
                text={t}
                name="resend"
                values={{ recipient }}
                need="support"
                run={() => call(api.POST('/management/v1/apps/{app_id}/messages/{message_id}/resend', { params }))}
              />
            );
          },
        },
      ]}
    />
  );
}

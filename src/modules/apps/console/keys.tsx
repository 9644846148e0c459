import { api, call } from '../../../console/api.js';
import type { ConsolePage, PageProps } from '../../../console/page.js';
import { epochOf, text } from '../../../console/text.js';
import { Action } from '../../../console/ui/dialog.js';
import { firstCall } from '../../../console/ui/first-call.js';
import { choicesOf, fieldsOf } from '../../../console/ui/form.js';
import { ListPage } from '../../../console/ui/list.js';
import { State, Time } from '../../../console/ui/states.js';
import { CREATED } from '../../../console/ui/table.js';
import texts from './texts.json';

const t = texts.keys;
const field = fieldsOf(t);

export const page: ConsolePage = { path: 'keys', title: t.title, after: 'webhooks', view: KeysPage };

function KeysPage({ appId }: PageProps) {
  const path = { app_id: appId };
  return (
    <ListPage
      text={t}
      actions={
        <Action
          text={t}
          name="create"
          need="owner"
          isPrimary
          fields={[
            field('kind', { options: choicesOf(['secret', 'public']) }),
            field('name'),
            field('expires_at', { type: 'datetime-local' }),
          ]}
          run={(entries) => {
            const end = entries.optional('expires_at');
            const kind = entries.text('kind') as 'secret' | 'public';
            const body = { kind, name: entries.text('name'), ...(end && { expires_at: epochOf(end) }) };
            return call(api.POST('/management/v1/apps/{app_id}/keys', { params: { path }, body }));
          }}
          secrets={({ kind, key }) => ({
            [t.key]: key,
            ...(kind === 'secret' && { [text.apps.firstCall]: firstCall(key) }),
          })}
        />
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
        { head: t.kind, value: ({ kind }) => kind, cell: ({ kind }) => <State of={kind} /> },
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
          cell: ({ id }) => <a href={`/console/apps/${appId}/refused-calls?key_id=${id}`}>{t.showRefused}</a>,
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

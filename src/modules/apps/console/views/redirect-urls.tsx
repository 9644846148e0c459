import { api, call } from '../../../../console/api.js';
import type { PageProps } from '../../../../console/page.js';
import { nameOf, text } from '../../../../console/text.js';
import { Action } from '../../../../console/ui/dialog.js';
import { choicesOf, fieldsOf } from '../../../../console/ui/form.js';
import { ListPage } from '../../../../console/ui/list.js';
import { State } from '../../../../console/ui/states.js';
import { CREATED } from '../../../../console/ui/table.js';
import texts from './texts.json';

const t = texts.redirects;
const field = fieldsOf(t);
const KINDS = ['login', 'registration', 'invite'] as const;

export function RedirectUrlsPage({ appId }: PageProps) {
  const path = { app_id: appId };
  return (
    <ListPage
      text={t}
      actions={
        <Action
          text={t}
          name="add"
          need="owner"
          isPrimary
          fields={[
            field('url', { type: 'url', isRequired: true }),
            field('kind', { options: choicesOf(KINDS) }),
            field('is_default', { type: 'checkbox', value: true }),
          ]}
          run={(entries) => {
            const kind = entries.text('kind') as (typeof KINDS)[number];
            const body = { url: entries.text('url'), kind, is_default: entries.isOn('is_default') };
            return call(api.POST('/management/v1/apps/{app_id}/redirect_urls', { params: { path }, body }));
          }}
        />
      }
      load={(query) => call(api.GET('/management/v1/apps/{app_id}/redirect_urls', { params: { path, query } }))}
      rows={(page) => page.redirect_urls}
      columns={[
        { head: t.url, isName: true, value: ({ url }) => url },
        { head: t.kind, value: ({ kind }) => nameOf(kind) },
        {
          head: t.is_default,
          value: (row) => (row.is_default ? text.yes : text.no),
          cell: (row) =>
            row.is_default ? (
              <State of="" tone="good">
                {text.yes}
              </State>
            ) : (
              text.no
            ),
        },
        CREATED,
        {
          head: text.actions,
          cell: ({ id, url, kind }) => {
            const params = { path: { ...path, rurl_id: id } };
            return (
              <Action
                text={t}
                name="remove"
                values={{ url, kind: nameOf(kind) }}
                need="owner"
                isDangerous
                run={() => call(api.DELETE('/management/v1/apps/{app_id}/redirect_urls/{rurl_id}', { params }))}
              />
            );
          },
        },
      ]}
    />
  );
}

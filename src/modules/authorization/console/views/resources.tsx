import { api, call } from '../../../../console/api.js';
import type { PageProps } from '../../../../console/page.js';
import { text } from '../../../../console/text.js';
import { Action } from '../../../../console/ui/dialog.js';
import { inUnits } from '../../../../console/ui/failures.js';
import { fieldsOf } from '../../../../console/ui/form.js';
import { ListPage } from '../../../../console/ui/list.js';
import { CREATED } from '../../../../console/ui/table.js';
import titles from '../texts.json';
import texts from './texts.json';

const t = { title: titles.resources, ...texts.resources };
const field = fieldsOf(t);

export function ResourcesPage({ appId }: PageProps) {
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
            field('audience', { type: 'url', isRequired: true }),
            field('name', { isRequired: true }),
            field('scopes', { lines: [] }),
          ]}
          run={(entries) => {
            const body = {
              audience: entries.text('audience'),
              name: entries.text('name'),
              scopes: entries.lines('scopes'),
            };
            return call(api.POST('/management/v1/apps/{app_id}/resources', { params: { path }, body }));
          }}
        />
      }
      load={(query) => call(api.GET('/management/v1/apps/{app_id}/resources', { params: { path, query } }))}
      rows={(found) => found.resources}
      columns={[
        { head: t.name, isName: true, value: ({ name }) => name },
        { head: t.audience, value: ({ audience }) => audience },
        { head: t.scopes, value: ({ scopes }) => scopes.join(' ') },
        { head: t.token_seconds, value: (row) => inUnits(row.token_seconds) },
        CREATED,
        {
          head: text.actions,
          cell: ({ id, name, audience }) => {
            const params = { path: { ...path, resource_id: id } };
            return (
              <Action
                text={t}
                name="remove"
                values={{ name, audience }}
                need="owner"
                isDangerous
                run={() => call(api.DELETE('/management/v1/apps/{app_id}/resources/{resource_id}', { params }))}
              />
            );
          },
        },
      ]}
    />
  );
}

import { api, call } from '../../../../console/api.js';
import type { PageProps } from '../../../../console/page.js';
import { refusalFor } from '../../../../console/session.js';
import { stateFilter } from '../../../../console/ui/filter.js';
import { fieldsOf } from '../../../../console/ui/form.js';
import { ListPage } from '../../../../console/ui/list.js';
import { type Column, CREATED } from '../../../../console/ui/table.js';
import type { Policy } from '../../../../../openapi/client/src/index.js';
import { text } from '../../../../console/text.js';
import { ScopeLink } from './shared.js';
import texts from './texts.json';
import { scopeInWords } from './words.js';
import { home } from '../../../../console/root.js';

const t = texts.policies;

export const columnsOf = (appId: string): readonly Column<Policy>[] => [
  {
    head: t.name,
    isName: true,
    value: ({ name }) => name,
    href: ({ id }) => `${home}/apps/${appId}/policies/${id}`,
  },
  { head: t.version, value: ({ version }) => version },
  { head: text.state, as: 'state', value: ({ state }) => state },
  {
    head: t.scope,
    value: ({ scope }) => scopeInWords(scope),
    cell: ({ scope }) => <ScopeLink appId={appId} scope={scope} />,
  },
  { head: t.activated, time: (row) => row.activated_at },
  CREATED,
];

export function PoliciesPage({ appId }: PageProps) {
  const path = { app_id: appId };
  return (
    <ListPage
      text={t}
      actions={
        <>
          <a href={`${home}/apps/${appId}/policies/dry-run`}>{t.dryRun}</a>
          <a href={`${home}/apps/${appId}/policies/changes`}>{t.changes}</a>
          {refusalFor('operator') === null && <a href={`${home}/apps/${appId}/policies/new`}>{t.new}</a>}
        </>
      }
      filters={[stateFilter(['draft', 'active', 'retired'], 'state'), fieldsOf(t)('name')]}
      load={(query) => call(api.GET('/management/v1/apps/{app_id}/policies', { params: { path, query } }))}
      rows={({ policies }) => policies}
      columns={columnsOf(appId)}
    />
  );
}

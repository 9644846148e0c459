import { api, call } from '../../../../console/api.js';
import { useLoad } from '../../../../console/load.js';
import type { PageProps } from '../../../../console/page.js';
import { refusalFor } from '../../../../console/session.js';
import { stateFilter } from '../../../../console/ui/filter.js';
import { fieldsOf } from '../../../../console/ui/form.js';
import { ListPage } from '../../../../console/ui/list.js';
import { type Column, CREATED } from '../../../../console/ui/table.js';
import type { Policy } from '../../../../../openapi/client/src/index.js';
import { text } from '../../../../console/text.js';
import { activeOf, ScopeLink } from './shared.js';
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

/** Whether wallets of the app sign hashes as messages, although policies are in force. */
async function signsAnyMessage(appId: string): Promise<boolean> {
  const params = { path: { app_id: appId } };
  const [app, active] = await Promise.all([call(api.GET('/management/v1/apps/{app_id}', { params })), activeOf(appId)]);
  return app.signing_policy.messages === 'any' && active.length > 0;
}

export function PoliciesPage({ appId }: PageProps) {
  const path = { app_id: appId };
  const { data: isOpen = false } = useLoad(() => signsAnyMessage(appId), [appId]);
  return (
    <ListPage
      text={t}
      actions={
        <>
          <a href={`${home}/apps/${appId}/policies/dry-run`}>{t.dryRun}</a>
          <a href={`${home}/apps/${appId}/policies/changes`}>{t.changes}</a>
          {refusalFor('operator') === null && (
            <a class="primary" href={`${home}/apps/${appId}/policies/new`}>
              {t.new}
            </a>
          )}
        </>
      }
      filters={[stateFilter(['draft', 'active', 'retired'], 'state'), fieldsOf(t)('name')]}
      load={(query) => call(api.GET('/management/v1/apps/{app_id}/policies', { params: { path, query } }))}
      rows={({ policies }) => policies}
      columns={columnsOf(appId)}
    >
      {isOpen && <p class="notice">{t.anyMessage}</p>}
    </ListPage>
  );
}

import { api, call } from '../../../../console/api.js';
import type { PageProps } from '../../../../console/page.js';
import { refusalFor } from '../../../../console/session.js';
import { ListPage } from '../../../../console/ui/list.js';
import { CREATED } from '../../../../console/ui/table.js';
import texts from './texts.json';
import { home } from '../../../../console/root.js';

const t = texts.groups;

export function ApproverGroupsPage({ appId }: PageProps) {
  const path = { app_id: appId };
  return (
    <ListPage
      text={t}
      actions={
        refusalFor('operator') === null && (
          <a class="primary" href={`${home}/apps/${appId}/approver-groups/new`}>
            {t.new}
          </a>
        )
      }
      load={(query) => call(api.GET('/management/v1/apps/{app_id}/approver_groups', { params: { path, query } }))}
      rows={(page) => page.approver_groups}
      columns={[
        {
          head: t.name,
          isName: true,
          value: ({ name }) => name,
          href: ({ id }) => `${home}/apps/${appId}/approver-groups/${id}`,
        },
        { head: t.members, value: ({ members }) => members.length },
        CREATED,
      ]}
    />
  );
}

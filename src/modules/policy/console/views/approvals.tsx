import { api, call } from '../../../../console/api.js';
import type { PageProps } from '../../../../console/page.js';
import { fill, text } from '../../../../console/text.js';
import { stateFilter } from '../../../../console/ui/filter.js';
import { ListPage } from '../../../../console/ui/list.js';
import { CREATED } from '../../../../console/ui/table.js';
import type { Approval } from '../../../../../openapi/client/src/index.js';
import texts from './texts.json';
import { subjectOf } from './words.js';
import { home } from '../../../../console/root.js';

const t = texts.approvals;
const STATES = ['waiting', 'approved', 'rejected', 'expired', 'executed', 'void'];

export const isOpen = ({ state }: Approval): boolean => state === 'waiting' || state === 'approved';

export const votesIn = ({ votes, needed }: Approval): string =>
  fill(t.votesOf, { votes: votes.filter(({ decision }) => decision === 'approve').length, needed });

export function ApprovalsPage({ appId }: PageProps) {
  const path = { app_id: appId };
  return (
    <ListPage
      text={t}
      filters={[stateFilter(STATES, 'state')]}
      load={(query) => call(api.GET('/management/v1/apps/{app_id}/approvals', { params: { path, query } }))}
      rows={({ approvals }) => approvals}
      isPending={isOpen}
      columns={[
        {
          head: t.subject,
          isName: true,
          value: ({ payload }) => subjectOf(payload),
          href: ({ id }) => `${home}/apps/${appId}/approvals/${id}`,
        },
        { head: text.state, as: 'state', value: ({ state }) => state },
        { head: t.votes, value: votesIn },
        { head: t.expires, time: (row) => row.expires_at },
        CREATED,
      ]}
    />
  );
}

import { api, call } from '../../../console/api.js';
import type { ConsolePage, PageProps } from '../../../console/page.js';
import { text } from '../../../console/text.js';
import { Action } from '../../../console/ui/dialog.js';
import { stateFilter } from '../../../console/ui/filter.js';
import { fieldsOf } from '../../../console/ui/form.js';
import { ListPage } from '../../../console/ui/list.js';
import { CREATED } from '../../../console/ui/table.js';
import texts from './texts.json';

const t = texts.jobs;

export const page: ConsolePage = {
  path: 'jobs',
  title: t.title,
  group: 'operate',
  icon: 'jobs',
  after: 'settings',
  view: JobsPage,
};

function JobsPage({ appId }: PageProps) {
  const path = { app_id: appId };
  return (
    <ListPage
      text={t}
      filters={[stateFilter(['waiting', 'running', 'retrying', 'dead'], 'state'), fieldsOf(t)('kind')]}
      load={(query) => call(api.GET('/management/v1/apps/{app_id}/jobs', { params: { path, query } }))}
      rows={({ jobs }) => jobs}
      isPending={({ state }) => state !== 'dead'}
      columns={[
        { head: t.kind, isName: true, value: ({ kind }) => kind, cell: ({ kind }) => <code>{kind}</code> },
        { head: text.state, as: 'state', value: ({ state }) => state },
        { head: t.attempts, value: ({ attempts }) => attempts },
        { head: t.lastError, value: (row) => row.last_error },
        { head: t.due, time: (row) => row.due_at },
        CREATED,
        {
          head: text.actions,
          cell: ({ id, kind, state }) => {
            const params = { path: { ...path, job_id: id } };
            return (
              (state === 'dead' || state === 'retrying') && (
                <Action
                  text={t}
                  name="retry"
                  values={{ kind }}
                  need="support"
                  run={() => call(api.POST('/management/v1/apps/{app_id}/jobs/{job_id}/retry', { params }))}
                />
              )
            );
          },
        },
      ]}
    />
  );
}

import { api, call } from '../../../console/api.js';
import type { ConsolePage } from '../../../console/page.js';
import { ListPage } from '../../../console/ui/list.js';
import { COLUMNS, FILTERS } from './audit.js';
import texts from './texts.json';

const t = texts.service;

export const page: ConsolePage = { path: 'audit_log', title: t.title, isOfService: true, view: ServiceAuditPage };

function ServiceAuditPage() {
  return (
    <ListPage
      text={{ ...t, empty: texts.audit.empty }}
      filters={FILTERS}
      load={(query) => call(api.GET('/management/v1/audit_log', { params: { query } }))}
      rows={({ entries }) => entries}
      columns={COLUMNS}
    />
  );
}

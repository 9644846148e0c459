import type { components } from '../../../openapi/client/src/index.js';
import { api, call } from '../api.js';
import { nameOf, text, when } from '../text.js';
import { Action } from './dialog.js';
import type { Column } from './table.js';

const t = text.session;

/** A session of the app has a status and may have ended. */
type Session = components['schemas']['SessionListItem'] & { readonly status?: string };

export const sessionColumns = (appId: string): readonly Column<Session>[] => [
  {
    head: t.factors,
    isName: true,
    value: ({ factors }) => factors.map(({ delivery_channel: channel }) => nameOf(channel)).join(', '),
  },
  { head: t.started, time: (row) => row.started_at },
  { head: t.lastActive, time: (row) => row.last_active_at },
  { head: t.ends, time: (row) => row.expires_at },
  { head: t.device, value: (row) => row.device_fingerprint.user_agent },
  { head: text.address, value: (row) => row.device_fingerprint.ip },
  {
    head: text.actions,
    cell: ({ id, started_at: started, status = 'active', device_fingerprint: { ip } }) => {
      const params = { path: { app_id: appId, sess_id: id } };
      return (
        status === 'active' && (
          <Action
            text={t}
            name="end"
            values={{ id, started: when(started), ip: ip || text.none }}
            need="support"
            isDangerous
            run={() => call(api.DELETE('/management/v1/apps/{app_id}/sessions/{sess_id}', { params }))}
          />
        )
      );
    },
  },
];

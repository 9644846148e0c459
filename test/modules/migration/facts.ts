import { unique } from '../../support/given.js';
import type { ModuleFacts } from '../../support/module-facts.js';

const IMPORT = 'POST /management/v1/apps/{app_id}/users/import';

export const facts: ModuleFacts = {
  calls: {
    [IMPORT]: () => ({
      body: { users: [{ external_id: unique(), emails: [{ email: `${unique()}@example.com`, verified: true }] }] },
    }),
  },
  withoutEvent: { [IMPORT]: 'Events of imported users are published on request.' },
  unsealed: { 'deleted_external_ids.external_id_hash': 'hash' },
};

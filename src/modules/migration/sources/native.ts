import type { Source } from './source.js';

/** The NDJSON of `GET /management/v1/apps/{app_id}/users/export`. */
export const NATIVE: Source = {
  name: 'native',
  id: 'user_id',
  format: 'ndjson',
  leavesOut: [
    'Without include_secrets an export has no authenticator apps and passwords. Keys of managed wallets, sessions and deleted users do not come along.',
  ],
  keepsIds: true,
  row: (row) => row,
};

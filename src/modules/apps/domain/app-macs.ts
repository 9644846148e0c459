import { MacTables } from '../../../kernel/row-macs.js';

/** The row has three MACs, because its parts are read separately. */
export interface AppMacs {
  readonly mac: Buffer | null;
  readonly messagesMac: Buffer | null;
  readonly signingMac: Buffer | null;
}

const ROW = { table: 'apps', since: 3, key: ['id'], app: 'id', ended: 'deleted_at is not null' } as const;

export const SETTINGS_MAC = MacTables.declare({
  ...ROW,
  fields: [
    'name',
    'mode',
    'defaultWalletType',
    'allowedOrigins',
    'limits',
    'assets',
    'networks',
    'transferPolicy',
    'signingPolicy',
    'acceptConfirmed',
    'oauthBegin',
    'stepUp',
    'approverPasskeyHours',
    'settings',
    'signingRevision',
  ],
});

export const MESSAGES_MAC = MacTables.declare({
  ...ROW,
  column: 'messagesMac',
  fields: ['name', 'allowedOrigins', 'messages'],
});

/** Covers the ids of the policies and freezes in force: taking one out of force by SQL opens nothing. */
export const SIGNING_MAC = MacTables.declare({
  ...ROW,
  column: 'signingMac',
  fields: ['signingRevision', 'frozenAt', 'inForce'],
  computed: { inForce: `array(select r.id from rules_in_force r where r.app_id = t.id order by r.id collate "C")` },
});

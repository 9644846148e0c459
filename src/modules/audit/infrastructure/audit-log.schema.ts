import { EntitySchema } from 'typeorm';

/** An entry, as it is stored. */
interface StoredAuditEntry {
  readonly appId: string;
  readonly id: string;
  readonly actor: string;
  readonly action: string;
  readonly targetId: string;
  readonly fields: string[];
  readonly requestId: string | null;
  readonly createdAt: Date;
  readonly outcome: string;
  readonly errorType: string | null;
  readonly calls: number;
  readonly ipCommitment: Buffer | null;
  /** Null until the entry is chained, like the next two. */
  readonly number: string | null;
  readonly chainedAt: Date | null;
  readonly hash: Buffer | null;
  /** Null also in entries that the release before keyed links has chained. */
  readonly mac: Buffer | null;
}

export const AuditEntrySchema = new EntitySchema<StoredAuditEntry>({
  name: 'AuditEntry',
  tableName: 'audit_log',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true, primaryKeyConstraintName: 'audit_log_pkey' },
    id: { type: 'text', primary: true, primaryKeyConstraintName: 'audit_log_pkey' },
    actor: { type: 'text' },
    action: { type: 'text' },
    targetId: { type: 'text', name: 'target_id' },
    fields: { type: 'text', array: true },
    requestId: { type: 'text', name: 'request_id', nullable: true },
    createdAt: { type: 'timestamptz', name: 'created_at' },
    outcome: { type: 'text', default: 'ok' },
    errorType: { type: 'text', name: 'error_type', nullable: true },
    calls: { type: 'integer', default: 1 },
    ipCommitment: { type: 'bytea', name: 'ip_commitment', nullable: true },
    number: { type: 'bigint', nullable: true },
    chainedAt: { type: 'timestamptz', name: 'chained_at', nullable: true },
    hash: { type: 'bytea', nullable: true },
    mac: { type: 'bytea', nullable: true },
  },
  checks: [{ name: 'audit_log_keyed', expression: 'number is null or mac is not null' }],
  indices: [
    { name: 'audit_log_chained', columns: ['appId', 'number'], unique: true },
    { name: 'audit_log_unchained', columns: ['appId', 'id'], where: 'number is null' },
    { name: 'audit_log_of_actor', columns: ['appId', 'actor', 'id'] },
    { name: 'audit_log_of_action', columns: ['appId', 'action', 'id'] },
    { name: 'audit_log_of_changes', columns: ['appId', 'id'], where: "outcome = 'ok'" },
  ],
});

/** What of an entry names a person. The row may be deleted: the chain holds only a commitment to it. */
interface StoredPersonalData {
  readonly appId: string;
  readonly entryId: string;
  readonly salt: Buffer;
  readonly ip: string;
}

export const AuditPersonalDataSchema = new EntitySchema<StoredPersonalData>({
  name: 'AuditPersonalData',
  tableName: 'audit_personal_data',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true, primaryKeyConstraintName: 'audit_personal_data_pkey' },
    entryId: { type: 'text', name: 'entry_id', primary: true, primaryKeyConstraintName: 'audit_personal_data_pkey' },
    salt: { type: 'bytea' },
    ip: { type: 'text' },
  },
});

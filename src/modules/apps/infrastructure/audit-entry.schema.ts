import { EntitySchema } from 'typeorm';
import type { AuditEntry } from '../domain/audit-log.js';

export const AuditEntrySchema = new EntitySchema<AuditEntry>({
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
  },
});

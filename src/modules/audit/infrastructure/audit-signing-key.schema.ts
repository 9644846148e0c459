import { EntitySchema } from 'typeorm';
import type { AuditKey } from '../domain/audit-key.repository.js';

export const AuditSigningKeySchema = new EntitySchema<AuditKey & { readonly publicKey: string }>({
  name: 'AuditSigningKey',
  tableName: 'audit_signing_keys',
  columns: {
    id: { type: 'text', primary: true },
    /** PEM, for operators to read. */
    publicKey: { type: 'text', name: 'public_key' },
    sealedPrivateKey: { type: 'bytea', name: 'sealed_private_key' },
  },
});

import { EntitySchema } from 'typeorm';
import { Injectable } from '@nestjs/common';
import { type AuditKey, AuditKeyRepository } from '../domain/audit-key.repository.js';
import { Database } from '../../../postgres/database.js';

export const AuditSigningKeySchema = new EntitySchema<AuditKey & { readonly publicKey: string }>({
  name: 'AuditSigningKey',
  tableName: 'audit_signing_keys',
  columns: {
    id: { type: 'text', primary: true },
    publicKey: { type: 'text', name: 'public_key' },
    sealedPrivateKey: { type: 'bytea', name: 'sealed_private_key' },
  },
});

@Injectable()
export class TypeormAuditKeyRepository extends AuditKeyRepository {
  constructor(private readonly database: Database) {
    super();
  }

  all(): Promise<AuditKey[]> {
    return this.database.manager.find(AuditSigningKeySchema, { order: { id: 'DESC' } });
  }

  async add(key: AuditKey, publicKey: string): Promise<void> {
    await this.database.manager.insert(AuditSigningKeySchema, { ...key, publicKey });
  }
}

import { Injectable } from '@nestjs/common';
import { Database } from '../../../postgres/database.js';
import { type AuditKey, AuditKeyRepository } from '../domain/audit-key.repository.js';
import { AuditSigningKeySchema } from './audit-signing-key.schema.js';

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

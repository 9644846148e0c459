import { Injectable } from '@nestjs/common';
import { Database } from '../../../postgres/database.js';
import { type AuditKey, AuditKeyRepository } from '../domain/audit-key.repository.js';

@Injectable()
export class PostgresAuditKeyRepository extends AuditKeyRepository {
  constructor(private readonly database: Database) {
    super();
  }

  all(): Promise<AuditKey[]> {
    return this.database.read<AuditKey>(
      `select id, sealed_private_key as "sealedPrivateKey" from audit_signing_keys order by id desc`,
    );
  }

  async add({ id, sealedPrivateKey }: AuditKey, publicKey: string): Promise<void> {
    await this.database.write(
      'insert into audit_signing_keys (id, public_key, sealed_private_key) values ($1, $2, $3)',
      [id, publicKey, sealedPrivateKey],
    );
  }
}

import type { Id } from '../../../kernel/ids.js';
import type { Sealed } from '../../../kernel/vault.js';

export type AuditKeyId = Id<'auditKey'>;

export interface AuditKey {
  readonly id: AuditKeyId;
  /** The PKCS #8 key, sealed in the context `audit-key`, id. */
  readonly sealedPrivateKey: Sealed;
}

/** The keys that sign checkpoints. No key is ever removed, because the checkpoints that it signed need it. */
export abstract class AuditKeyRepository {
  /** Newest first. */
  abstract all(): Promise<AuditKey[]>;

  /** @param publicKey PEM, for operators to read. */
  abstract add(key: AuditKey, publicKey: string): Promise<void>;
}

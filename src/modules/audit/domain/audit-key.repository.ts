import type { Id } from '../../../kernel/ids.js';
import type { Sealed } from '../../../kernel/vault.js';

export type AuditKeyId = Id<'auditKey'>;

export interface AuditKey {
  readonly id: AuditKeyId;
  /** PKCS #8, sealed in the context `audit-key`, id. */
  readonly sealedPrivateKey: Sealed;
}

/** The keys that sign checkpoints. None is ever removed: the checkpoints that it signed need it. */
export abstract class AuditKeyRepository {
  /** The newest first. */
  abstract all(): Promise<AuditKey[]>;

  /** @param publicKey PEM, for operators to read. */
  abstract add(key: AuditKey, publicKey: string): Promise<void>;
}

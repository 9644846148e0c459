import { EntitySchema } from 'typeorm';

/** The end of a chain. The lock on this row lets one process at a time append to the chain or sign it. */
interface StoredChain {
  readonly appId: string;
  readonly lastNumber: string;
  readonly lastHash: Buffer;
  readonly lastCheckpoint: string;
  /** The last number and the time of the last checkpoint of the hour and of the day. */
  readonly hourNumber: string;
  readonly hourAt: Date;
  readonly dayNumber: string;
  readonly dayAt: Date;
}

export const AuditChainSchema = new EntitySchema<StoredChain>({
  name: 'AuditChain',
  tableName: 'audit_chains',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true, primaryKeyConstraintName: 'audit_chains_pkey' },
    lastNumber: { type: 'bigint', name: 'last_number', default: 0 },
    lastHash: { type: 'bytea', name: 'last_hash' },
    lastCheckpoint: { type: 'bigint', name: 'last_checkpoint', default: 0 },
    hourNumber: { type: 'bigint', name: 'hour_number', default: 0 },
    hourAt: { type: 'timestamptz', name: 'hour_at', default: () => "'-infinity'" },
    dayNumber: { type: 'bigint', name: 'day_number', default: 0 },
    dayAt: { type: 'timestamptz', name: 'day_at', default: () => "'-infinity'" },
  },
});

interface StoredCheckpoint {
  readonly appId: string;
  readonly seq: string;
  readonly kind: string;
  readonly number: string;
  readonly hash: Buffer;
  readonly at: Date;
  readonly keyId: string;
  readonly signature: Buffer;
}

export const AuditCheckpointSchema = new EntitySchema<StoredCheckpoint>({
  name: 'AuditCheckpoint',
  tableName: 'audit_checkpoints',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true, primaryKeyConstraintName: 'audit_checkpoints_pkey' },
    seq: { type: 'bigint', primary: true, primaryKeyConstraintName: 'audit_checkpoints_pkey' },
    kind: { type: 'text' },
    number: { type: 'bigint' },
    hash: { type: 'bytea' },
    at: { type: 'timestamptz' },
    keyId: { type: 'text', name: 'key_id' },
    signature: { type: 'bytea' },
  },
});

/** A key of the whole service. The newest one signs, and all of them verify. */
interface StoredSigningKey {
  readonly id: string;
  /** For operators to read. The service derives it from the sealed key. */
  readonly publicKey: string;
  /** PKCS #8, sealed in the context `audit-key`, id. */
  readonly sealedPrivateKey: Buffer;
  readonly createdAt: Date;
}

export const AuditSigningKeySchema = new EntitySchema<StoredSigningKey>({
  name: 'AuditSigningKey',
  tableName: 'audit_signing_keys',
  columns: {
    id: { type: 'text', primary: true, primaryKeyConstraintName: 'audit_signing_keys_pkey' },
    publicKey: { type: 'text', name: 'public_key' },
    sealedPrivateKey: { type: 'bytea', name: 'sealed_private_key' },
    createdAt: { type: 'timestamptz', name: 'created_at', default: () => 'now()' },
  },
});

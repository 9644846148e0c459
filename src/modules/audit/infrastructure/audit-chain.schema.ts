import { EntitySchema } from 'typeorm';

/** The end of a chain. The lock on this row lets one process at a time append to the chain or sign it. */
interface StoredChain {
  readonly appId: string;
  readonly lastNumber: string;
  readonly lastHash: Buffer;
  readonly lastCheckpoint: string;
}

export const AuditChainSchema = new EntitySchema<StoredChain>({
  name: 'AuditChain',
  tableName: 'audit_chains',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true, primaryKeyConstraintName: 'audit_chains_pkey' },
    lastNumber: { type: 'bigint', name: 'last_number', default: 0 },
    lastHash: { type: 'bytea', name: 'last_hash' },
    lastCheckpoint: { type: 'bigint', name: 'last_checkpoint', default: 0 },
  },
});

interface StoredCheckpoint {
  readonly appId: string;
  readonly seq: string;
  /** Null where the checkpoint names a head. */
  readonly kind: string | null;
  readonly head: string | null;
  readonly previous: Buffer | null;
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
    kind: { type: 'text', nullable: true },
    head: { type: 'bigint', nullable: true },
    previous: { type: 'bytea', nullable: true },
    number: { type: 'bigint' },
    hash: { type: 'bytea' },
    at: { type: 'timestamptz' },
    keyId: { type: 'text', name: 'key_id' },
    signature: { type: 'bytea' },
  },
  checks: [
    { name: 'audit_checkpoints_named', expression: 'kind is null and head is not null and previous is not null' },
  ],
});

/** A signed head of the whole service. */
interface StoredHead {
  readonly seq: string;
  readonly at: Date;
  readonly chains: string;
  readonly entries: string;
  readonly digest: Buffer;
  readonly previous: Buffer;
  readonly keyId: string;
  readonly signature: Buffer;
  /** JSON; only beside the last head. */
  readonly ends: string | null;
}

export const AuditHeadSchema = new EntitySchema<StoredHead>({
  name: 'AuditHead',
  tableName: 'audit_heads',
  columns: {
    seq: { type: 'bigint', primary: true, primaryKeyConstraintName: 'audit_heads_pkey' },
    at: { type: 'timestamptz' },
    chains: { type: 'bigint' },
    entries: { type: 'bigint' },
    digest: { type: 'bytea' },
    previous: { type: 'bytea' },
    keyId: { type: 'text', name: 'key_id' },
    signature: { type: 'bytea' },
    ends: { type: 'text', nullable: true },
  },
});

/** Entries of refused calls that were removed when their time was over. */
interface StoredCut {
  readonly appId: string;
  readonly last: string;
  readonly first: string;
  readonly hash: Buffer;
  readonly at: Date;
  readonly keyId: string;
  readonly signature: Buffer;
}

export const AuditCutSchema = new EntitySchema<StoredCut>({
  name: 'AuditCut',
  tableName: 'audit_cuts',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true, primaryKeyConstraintName: 'audit_cuts_pkey' },
    last: { type: 'bigint', primary: true, primaryKeyConstraintName: 'audit_cuts_pkey' },
    first: { type: 'bigint' },
    hash: { type: 'bytea' },
    at: { type: 'timestamptz' },
    keyId: { type: 'text', name: 'key_id' },
    signature: { type: 'bytea' },
  },
});

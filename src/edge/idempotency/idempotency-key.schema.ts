import { EntitySchema } from 'typeorm';

/** One `Idempotency-Key` of one app on one path. `answer` is sealed, and null only inside the transaction that creates it. */
export interface IdempotencyKeyRecord {
  readonly appId: string;
  readonly path: string;
  readonly keyHash: Buffer;
  readonly bodyHash: Buffer;
  readonly answer: Buffer | null;
  readonly createdAt: Date;
}

export const IdempotencyKeySchema = new EntitySchema<IdempotencyKeyRecord>({
  name: 'IdempotencyKey',
  tableName: 'idempotency_keys',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true, primaryKeyConstraintName: 'idempotency_keys_pkey' },
    path: { type: 'text', primary: true, primaryKeyConstraintName: 'idempotency_keys_pkey' },
    keyHash: { type: 'bytea', name: 'key_hash', primary: true, primaryKeyConstraintName: 'idempotency_keys_pkey' },
    bodyHash: { type: 'bytea', name: 'body_hash' },
    answer: { type: 'bytea', nullable: true },
    createdAt: { type: 'timestamptz', name: 'created_at', default: () => 'now()' },
  },
  indices: [{ name: 'idempotency_keys_age', columns: ['appId', 'createdAt'] }],
});

/** The bytes of the responses that an app stored within an hour. */
interface IdempotencyUsage {
  readonly appId: string;
  readonly hour: Date;
  readonly bytes: string;
}

const USAGE_KEY = { primary: true, primaryKeyConstraintName: 'idempotency_usage_pkey' } as const;

export const IdempotencyUsageSchema = new EntitySchema<IdempotencyUsage>({
  name: 'IdempotencyUsage',
  tableName: 'idempotency_usage',
  columns: {
    appId: { type: 'text', name: 'app_id', ...USAGE_KEY },
    hour: { type: 'timestamptz', ...USAGE_KEY },
    bytes: { type: 'bigint' },
  },
});

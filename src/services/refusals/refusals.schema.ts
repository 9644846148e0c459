import { EntitySchema } from 'typeorm';

/** Counts the refusals of a class within one minute. The row is removed when the minute ends. */
interface StoredRefusals {
  readonly appId: string;
  readonly recorder: string;
  /** The class as JSON: reason, caller, client network. */
  readonly class: string;
  readonly since: Date;
  readonly calls: number;
  /** How many of them the recorder has stored. */
  readonly written: number;
}

export const RefusalsSchema = new EntitySchema<StoredRefusals>({
  name: 'Refusals',
  tableName: 'refusals',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true, primaryKeyConstraintName: 'refusals_pkey' },
    recorder: { type: 'text', primary: true, primaryKeyConstraintName: 'refusals_pkey' },
    class: { type: 'text', primary: true, primaryKeyConstraintName: 'refusals_pkey' },
    since: { type: 'timestamptz', default: () => 'now()' },
    calls: { type: 'integer' },
    written: { type: 'integer', default: 0 },
  },
});

/** The last batch that a process has stored for an app. */
interface StoredBatch {
  readonly appId: string;
  readonly process: string;
  readonly batch: string;
  readonly storedAt: Date;
}

export const RefusalBatchSchema = new EntitySchema<StoredBatch>({
  name: 'RefusalBatch',
  tableName: 'refusal_batches',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true, primaryKeyConstraintName: 'refusal_batches_pkey' },
    process: { type: 'text', primary: true, primaryKeyConstraintName: 'refusal_batches_pkey' },
    batch: { type: 'bigint' },
    storedAt: { type: 'timestamptz', name: 'stored_at', default: () => 'now()' },
  },
});

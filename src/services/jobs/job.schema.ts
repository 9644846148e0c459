import { EntitySchema } from 'typeorm';

/** One job, or one schedule. It belongs to the service rather than to an app, as its payload is sealed. */
export interface JobRecord {
  readonly id: string;
  readonly kind: string;
  /** Sealed; null for a schedule. */
  readonly payload: Buffer | null;
  readonly uniqueKey: string | null;
  /** How often it was begun. */
  readonly attempt: number;
  /** When it may be begun; while it runs, when its lease ends and another may begin it. */
  readonly dueAt: Date;
  /** Who runs it: a random word, fresh for each run. */
  readonly lease: string | null;
  /** When it was given up. */
  readonly diedAt: Date | null;
  /** What its last run failed with, without what may be secret. */
  readonly error: string | null;
  readonly createdAt: Date;
}

export const JobSchema = new EntitySchema<JobRecord>({
  name: 'Job',
  tableName: 'jobs',
  columns: {
    id: { type: 'text', primary: true, primaryKeyConstraintName: 'jobs_pkey' },
    kind: { type: 'text' },
    payload: { type: 'bytea', nullable: true },
    uniqueKey: { type: 'text', name: 'unique_key', nullable: true },
    attempt: { type: 'integer', default: 0 },
    dueAt: { type: 'timestamptz', name: 'due_at', default: () => 'now()' },
    lease: { type: 'text', nullable: true },
    diedAt: { type: 'timestamptz', name: 'died_at', nullable: true },
    error: { type: 'text', nullable: true },
    createdAt: { type: 'timestamptz', name: 'created_at', default: () => 'now()' },
  },
  indices: [
    { name: 'jobs_due', columns: ['dueAt'], where: 'died_at is null' },
    {
      name: 'jobs_unique_key',
      columns: ['kind', 'uniqueKey'],
      unique: true,
      where: 'unique_key is not null and lease is null and died_at is null',
    },
  ],
});

import { EntitySchema } from 'typeorm';

/** A job or a schedule. */
export interface JobRecord {
  readonly id: string;
  readonly kind: string;
  /** Sealed; null for a schedule. */
  readonly payload: Buffer | null;
  /** Null for work of the service itself. */
  readonly appId: string | null;
  readonly uniqueKey: string | null;
  /** How often it was begun. */
  readonly attempt: number;
  /** When it may be begun; while it runs, when its lease ends and another worker may begin it. */
  readonly dueAt: Date;
  /** Its place among due jobs, never before `dueAt`. */
  readonly rankAt: Date;
  /** Names the current run: a random value, fresh for each run. */
  readonly lease: string | null;
  readonly diedAt: Date | null;
  /** The error of its last run, without secrets. */
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
    appId: { type: 'text', name: 'app_id', nullable: true },
    uniqueKey: { type: 'text', name: 'unique_key', nullable: true },
    attempt: { type: 'integer', default: 0 },
    dueAt: { type: 'timestamptz', name: 'due_at', default: () => 'now()' },
    rankAt: { type: 'timestamptz', name: 'rank_at', default: () => 'now()' },
    lease: { type: 'text', nullable: true },
    diedAt: { type: 'timestamptz', name: 'died_at', nullable: true },
    error: { type: 'text', nullable: true },
    createdAt: { type: 'timestamptz', name: 'created_at', default: () => 'now()' },
  },
  indices: [
    { name: 'jobs_due', columns: ['dueAt'], where: 'died_at is null' },
    { name: 'jobs_rank', columns: ['rankAt'], where: 'died_at is null' },
    { name: 'jobs_of_app', columns: ['appId', 'id'] },
    { name: 'jobs_dead', columns: ['appId', 'id'], where: 'died_at is not null' },
    {
      name: 'jobs_unique_key',
      columns: ['kind', 'uniqueKey'],
      unique: true,
      where: 'unique_key is not null and lease is null and died_at is null',
    },
  ],
});

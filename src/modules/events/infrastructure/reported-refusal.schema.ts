import { EntitySchema } from 'typeorm';

/** That refusals of one user, client network and class were reported, and until when no replica reports them again. */
interface ReportedRefusal {
  readonly appId: string;
  /** A hash: the table contains no address. */
  readonly key: string;
  readonly endsAt: Date;
}

export const ReportedRefusalSchema = new EntitySchema<ReportedRefusal>({
  name: 'ReportedRefusal',
  tableName: 'reported_refusals',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true, primaryKeyConstraintName: 'reported_refusals_pkey' },
    key: { type: 'text', primary: true, primaryKeyConstraintName: 'reported_refusals_pkey' },
    endsAt: { type: 'timestamptz', name: 'ends_at' },
  },
  indices: [{ name: 'reported_refusals_end', columns: ['appId', 'endsAt'] }],
});

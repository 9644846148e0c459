import { EntitySchema } from 'typeorm';

export const StatisticSchema = new EntitySchema({
  name: 'EventStatistic',
  tableName: 'event_statistics',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true, primaryKeyConstraintName: 'event_statistics_pkey' },
    hour: { type: 'timestamptz', primary: true, primaryKeyConstraintName: 'event_statistics_pkey' },
    metric: { type: 'text', primary: true, primaryKeyConstraintName: 'event_statistics_pkey' },
    label: { type: 'text', primary: true, primaryKeyConstraintName: 'event_statistics_pkey' },
    value: { type: 'bigint' },
  },
});

/** Up to which position the events of an app are counted. */
export const CountedEventsSchema = new EntitySchema({
  name: 'CountedEvents',
  tableName: 'counted_events',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true, primaryKeyConstraintName: 'counted_events_pkey' },
    position: { type: 'bigint', default: 0 },
    sequencedAt: { type: 'timestamptz', name: 'sequenced_at', default: () => "'-infinity'" },
  },
});

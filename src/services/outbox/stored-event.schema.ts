import { EntitySchema } from 'typeorm';

/** One row of the event log. `xid` is the writing transaction: readers take only rows older than every open one, so none is skipped. */
export interface StoredEvent {
  readonly appId: string;
  readonly id: string;
  readonly type: string;
  readonly data: Record<string, unknown>;
  readonly xid: string;
  readonly createdAt: Date;
}

export const StoredEventSchema = new EntitySchema<StoredEvent>({
  name: 'StoredEvent',
  tableName: 'events',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true, primaryKeyConstraintName: 'events_pkey' },
    id: { type: 'text', primary: true, primaryKeyConstraintName: 'events_pkey' },
    type: { type: 'text' },
    data: { type: 'jsonb' },
    xid: { type: 'bigint', default: () => '((pg_current_xact_id()))' },
    createdAt: { type: 'timestamptz', name: 'created_at', default: () => 'now()' },
  },
  indices: [{ name: 'events_feed', columns: ['appId', 'xid', 'id'] }],
});

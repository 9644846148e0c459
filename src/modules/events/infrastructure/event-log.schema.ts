import { EntitySchema } from 'typeorm';
import type { FeedHistory } from '../domain/feed-id.js';

/** TypeORM knows these values, its types of entity schemas do not. */
const ALWAYS_AS_IDENTITY = { generated: 'identity', generatedIdentity: 'ALWAYS' } as object;

/** An event that its transaction has committed and the sequencer has not yet moved to the log. */
interface UnsequencedEvent {
  readonly appId: string;
  /** Taken when the transaction held all its locks. */
  readonly seq: string;
  readonly id: string;
  readonly type: string;
  readonly data: Record<string, unknown>;
  readonly createdAt: Date;
}

export const UnsequencedEventSchema = new EntitySchema<UnsequencedEvent>({
  name: 'UnsequencedEvent',
  tableName: 'unsequenced_events',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true, primaryKeyConstraintName: 'unsequenced_events_pkey' },
    seq: {
      type: 'bigint',
      primary: true,
      primaryKeyConstraintName: 'unsequenced_events_pkey',
      ...ALWAYS_AS_IDENTITY,
    },
    id: { type: 'text' },
    type: { type: 'text' },
    data: { type: 'json' },
    createdAt: { type: 'timestamptz', name: 'created_at', default: () => 'now()' },
  },
});

/** An event with its position. It never changes; its partition is dropped when it is old. */
interface LoggedEvent {
  readonly appId: string;
  readonly id: string;
  /** Dense in the app, from 1. */
  readonly position: string;
  readonly type: string;
  readonly userId: string | null;
  /** The JSON text of the event, as every webhook attempt sends it. */
  readonly body: string;
  readonly createdAt: Date;
  /** When it got its position: never earlier than that of a lower position of the app. Selects the partition. */
  readonly sequencedAt: Date;
}

export const LoggedEventSchema = new EntitySchema<LoggedEvent>({
  name: 'LoggedEvent',
  tableName: 'event_log',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true, primaryKeyConstraintName: 'event_log_pkey' },
    id: { type: 'text', primary: true, primaryKeyConstraintName: 'event_log_pkey' },
    position: { type: 'bigint' },
    type: { type: 'text' },
    userId: { type: 'text', name: 'user_id', nullable: true },
    body: { type: 'text' },
    createdAt: { type: 'timestamptz', name: 'created_at' },
    sequencedAt: {
      type: 'timestamptz',
      name: 'sequenced_at',
      primary: true,
      primaryKeyConstraintName: 'event_log_pkey',
    },
  },
  indices: [
    { name: 'event_log_feed', columns: ['appId', 'position'] },
    { name: 'event_log_feed_of_type', columns: ['appId', 'type', 'position'] },
    { name: 'event_log_feed_of_user', columns: ['appId', 'userId', 'position'], where: 'user_id is not null' },
  ],
});

/** The last position of an app. Its row alone keeps positions dense, also when all partitions are gone. */
interface EventPositions {
  readonly appId: string;
  readonly lastPosition: string;
  readonly lastSequencedAt: Date;
  /** The highest position that was dropped with its partition; 0 when none was. */
  readonly droppedPosition: string;
  /** The histories of the database that the feed was on, each with the last position before it. */
  readonly feeds: readonly FeedHistory[];
}

export const EventPositionsSchema = new EntitySchema<EventPositions>({
  name: 'EventPositions',
  tableName: 'event_positions',
  columns: {
    appId: { type: 'text', name: 'app_id', primary: true, primaryKeyConstraintName: 'event_positions_pkey' },
    lastPosition: { type: 'bigint', name: 'last_position', default: 0 },
    lastSequencedAt: { type: 'timestamptz', name: 'last_sequenced_at', default: () => "'-infinity'" },
    droppedPosition: { type: 'bigint', name: 'dropped_position', default: 0 },
    feeds: { type: 'jsonb', default: [] },
  },
});

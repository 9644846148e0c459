import { pino } from 'pino';
import { DataSource } from 'typeorm';
import type { DomainEvent } from '../../../src/kernel/event-types.js';
import { type AppId, newId } from '../../../src/kernel/ids.js';
import type { Log } from '../../../src/kernel/log.js';
import { Sequencer } from '../../../src/modules/events/sequencer.js';
import { FeedPositions } from '../../../src/modules/events/infrastructure/feed-positions.js';
import { PostgresEventSequence } from '../../../src/modules/events/infrastructure/postgres-event-sequence.js';
import { Database } from '../../../src/postgres/database.js';
import { EventStore } from '../../../src/postgres/event-store.js';
import { PostgresTransactions } from '../../../src/postgres/postgres-transactions.js';
import { SharedConnections } from '../../../src/postgres/shared-connections.js';
import { untilAvailable } from '../../support/eventually.js';

/** The part of a process that stores and sequences events, without the rest of the service. */
export async function startWriter(databaseUrl: string, poolSize = 10) {
  const dataSource = new DataSource({ type: 'postgres', url: databaseUrl, poolSize });
  await dataSource.initialize();
  const shared = new SharedConnections(dataSource);
  const database = new Database(dataSource, shared);
  const store = new EventStore();
  const transactions = new PostgresTransactions(dataSource);
  const positions = new FeedPositions(database);
  const sequence = new PostgresEventSequence(database, transactions, positions);
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(line) }) as Log;
  const sequencer = new Sequencer(sequence, log);
  store.onStored(() => sequencer.wake());
  return {
    database,
    store,
    transactions,
    sequence,
    positions,
    sequencer,
    /** The lines of the log. */
    lines,
    /** Stores the event in a transaction of its own. */
    happen: (event: DomainEvent): Promise<void> => transactions.run(async () => store.add(event)),
    /** Sequences until nothing waits. */
    async drain(): Promise<void> {
      for (let after = '', hasMore = true; hasMore;)
        ({ after, hasMore } = await untilAvailable(() => sequence.advance(after)));
    },
    stop: async () => {
      await sequencer.stop();
      await shared.onApplicationShutdown();
      await dataSource.destroy();
    },
  };
}

export type Writer = Awaited<ReturnType<typeof startWriter>>;

export function eventOf(appId: AppId, name: string, data: Record<string, unknown> = {}): DomainEvent {
  return { type: 'test.happened', appId, data: { name, ...data } };
}

export function newApp(): AppId {
  return newId('app');
}

/** The names of an app's events in the order of their positions, which must be dense. */
export async function namesOf({ database }: Writer, appId: AppId): Promise<string[]> {
  const rows = await database.write<{ position: number; name: string }>(
    `select position::int as position, body::json->'data'->>'name' as name from event_log where app_id = $1 order by position`,
    [appId],
  );
  expect(rows.map(({ position }) => position)).toEqual(rows.map((_, index) => index + 1));
  return rows.map(({ name }) => name);
}

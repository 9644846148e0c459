import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Client, Pool } from 'pg';
import { DataSource } from 'typeorm';
import { Log } from '../observability/log.js';
import { poolOf } from './pool.js';
import { SharedConnections } from './shared-connections.js';

const EVERY_MS = 4_000;
/** Seen at so many looks in a row, a statement is past the 10 s after which the server itself would have ended it. */
const LOOKS = 4;

/**
 * Breaks connections whose server has gone silent: a host that froze or a network that swallows packets never says so,
 * and `statement_timeout` is kept by that same server. Whoever waits on one gets an error then, and the pool opens
 * another. A timer per statement would say it sooner and cost every statement more than its parsing.
 */
@Injectable()
export class ConnectionWatchdog implements OnApplicationShutdown {
  private readonly seen = new WeakMap<object, number>();
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly dataSource: DataSource,
    private readonly shared: SharedConnections,
    private readonly log: Log,
  ) {
    this.timer = setInterval(() => this.look(), EVERY_MS);
    this.timer.unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    for (const client of [...clientsOf(poolOf(this.dataSource)), ...this.shared.clients].map(watched)) {
      const statement = client._activeQuery;
      if (!statement) continue;
      const looks = (this.seen.get(statement) ?? 0) + 1;
      this.seen.set(statement, looks);
      if (looks < LOOKS) continue;
      this.log.error('A database connection has gone silent and is broken off.');
      client.connection.stream.destroy(new Error('Connection terminated: the server has gone silent.'));
    }
  }
}

/** What pg knows of a client and tells nobody; a version without these fields has no statement to watch. */
interface WatchedClient {
  readonly _activeQuery?: object | null;
  readonly connection: { readonly stream: { destroy(error: Error): void } };
}

function watched(client: Client): WatchedClient {
  return client as unknown as WatchedClient;
}

function clientsOf(pool: Pool): readonly Client[] {
  return (pool as unknown as { _clients: readonly Client[] })._clients;
}

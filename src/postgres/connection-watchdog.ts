import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Client, Pool } from 'pg';
import { DataSource } from 'typeorm';
import { Log } from '../kernel/log.js';
import { poolOf } from './pool.js';
import { SeparateConnections } from './separate-connections.js';
import { SharedConnections } from './shared-connections.js';

const EVERY_MS = 500;
/**
 * A statement seen at so many looks in a row is half a second past the `statement_timeout` by which its server would have ended it:
 * 7 s, on shared connections 2 s. Looks are counted, because after a pause of this process a clock would blame the server.
 */
const LOOKS = { pooled: 16, shared: 6 };

/**
 * Breaks connections whose server has gone silent: a host that froze or a network that swallows packets never says so,
 * and `statement_timeout` is kept by that same server. The caller that waits on one gets an error then, and the pool opens
 * another. A timer per statement would notice it sooner and cost every statement more than its parsing.
 */
@Injectable()
export class ConnectionWatchdog implements OnApplicationShutdown {
  private readonly seen = new WeakMap<object, number>();
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly dataSource: DataSource,
    private readonly shared: SharedConnections,
    private readonly separate: SeparateConnections,
    private readonly log: Log,
  ) {
    this.timer = setInterval(() => this.look(), EVERY_MS);
    this.timer.unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    this.lookAt(clientsOf(poolOf(this.dataSource)), LOOKS.pooled);
    if (this.separate.pool) this.lookAt(clientsOf(this.separate.pool), LOOKS.pooled);
    this.lookAt(this.shared.clients, LOOKS.shared);
  }

  private lookAt(clients: readonly Client[], most: number): void {
    for (const client of clients.map(watched)) {
      const statement = client._activeQuery;
      if (!statement) continue;
      const looks = (this.seen.get(statement) ?? 0) + 1;
      this.seen.set(statement, looks);
      if (looks < most) continue;
      this.log.error('A database connection has gone silent and is broken off.');
      client.connection.stream.destroy(new Error('Connection terminated: the server has gone silent.'));
    }
  }
}

/** Fields of pg's client that its types do not declare. With a version without them there is no statement to watch. */
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

import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Client } from 'pg';
import { DataSource } from 'typeorm';
import { Log } from '../kernel/log.js';
import { activeQueryOf, clientsOf, destroyConnection } from './pg-internals.js';
import { SeparateConnections } from './separate-connections.js';
import { SharedConnections } from './shared-connections.js';
import { poolOf } from './typeorm-internals.js';

const EVERY_MS = 500;
/** So many looks are half a second past the `statement_timeout`. After a pause of this process a clock would blame the server. */
const LOOKS = { pooled: 16, shared: 6 };

/** A frozen host reports nothing, and enforces no `statement_timeout`. A timer per statement would cost more than its parsing. */
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
    for (const client of clients) {
      const statement = activeQueryOf(client);
      if (!statement) continue;
      const looks = (this.seen.get(statement) ?? 0) + 1;
      this.seen.set(statement, looks);
      if (looks < most) continue;
      this.log.error('A database connection has gone silent and is closed.');
      destroyConnection(client, new Error('Connection terminated: the server has gone silent.'));
    }
  }
}

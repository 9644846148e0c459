import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Client, type QueryResult } from 'pg';
import { DataSource } from 'typeorm';
import { connectionOptions } from './data-source.js';
import { corkThisTurn, PIPELINED } from './pg-internals.js';
import { spoilsConnection } from './pool.js';
import { isPooled, localSettings } from './session-settings.js';
import { sendTogether, type Statement } from './statement.js';

/** With one connection a slow statement delays all reads; with many connections few reads share a packet. */
const CONNECTIONS = 2;
/** PostgreSQL does not respond if more reads are open on each connection. */
const ROOM = 200;
/** Milliseconds. A statement that waits delays all statements sent after it. */
const BOUNDS = { statement_timeout: 2_000, lock_timeout: 1_000 };
const LOCAL_BOUNDS = localSettings(BOUNDS);

/** Waking up the other side is most of the cost of a short read, so reads share packets: a fifth of the processor time. */
@Injectable()
export class SharedConnections implements OnApplicationShutdown {
  private readonly connections: SharedConnection[];
  private next = 0;
  private unanswered = 0;

  constructor(dataSource: DataSource) {
    this.connections = Array.from({ length: CONNECTIONS }, () => new SharedConnection(dataSource));
  }

  get clients(): readonly Client[] {
    return this.connections.flatMap(({ client, opened }) => client ?? opened ?? []);
  }

  /** False when another read cannot be expected to end soon. */
  get hasRoom(): boolean {
    return this.unanswered < CONNECTIONS * ROOM;
  }

  async query(wanted: Statement): Promise<QueryResult> {
    this.next = (this.next + 1) % CONNECTIONS;
    this.unanswered++;
    try {
      return await this.connections[this.next]!.query(wanted);
    } finally {
      this.unanswered--;
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.connections.map((connection) => connection.close()));
  }
}

class SharedConnection {
  client: Client | undefined;
  /** The server may go silent before the session is configured. */
  opened: Client | undefined;
  private opening: Promise<Client> | undefined;
  private isCorked = false;

  constructor(private readonly dataSource: DataSource) {}

  query(wanted: Statement): Promise<QueryResult> {
    if (this.client) return this.send(this.client, wanted);
    this.opening ??= this.open().finally(() => (this.opening = this.opened = undefined));
    return this.opening.then((client) => this.send(client, wanted));
  }

  async close(): Promise<void> {
    await this.opening?.catch(() => undefined);
    await this.client?.end();
  }

  private async open(): Promise<Client> {
    const { onConnect, ...options } = connectionOptions(this.dataSource, BOUNDS);
    const client = (this.opened = new Client({ ...options, ...PIPELINED }));
    const lost = (): void => {
      if (this.client === client) this.client = undefined;
    };
    // Statements on it fail by themselves. Without a listener the error would end the process.
    client.on('error', lost).on('end', lost);
    await client.connect();
    await onConnect(client);
    return (this.client = client);
  }

  private async send(client: Client, wanted: Statement): Promise<QueryResult> {
    if (!this.isCorked) {
      this.isCorked = true;
      corkThisTurn(client);
      setImmediate(() => (this.isCorked = false));
    }
    try {
      // Statements before one Sync are one transaction: behind a pooler the bounds are local to it.
      const results = await sendTogether(client, isPooled(client) ? [LOCAL_BOUNDS, wanted] : [wanted]);
      return results.at(-1)!;
    } catch (error) {
      if (spoilsConnection(error) && this.client === client) {
        this.client = undefined;
        // Ends after the statements that were already sent.
        void client.end();
      }
      throw error;
    }
  }
}

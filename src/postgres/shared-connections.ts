import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Client, type QueryResult } from 'pg';
import { DataSource } from 'typeorm';
import { connectionOptions } from './data-source.js';
import { corkThisTurn, PIPELINED } from './pg-internals.js';
import { spoilsConnection } from './pool.js';
import { isPooled, localSettings } from './session-settings.js';
import { sendTogether, type Statement } from './statement.js';

/** With one connection a slow statement would delay all reads; with many connections few reads would share a packet. */
const CONNECTIONS = 2;
/** More open reads than this on each connection mean that PostgreSQL does not respond. */
const ROOM = 200;
/** The bounds in milliseconds. A statement that waits delays all statements sent after it. */
const BOUNDS = { statement_timeout: 2_000, lock_timeout: 1_000 };
const LOCAL_BOUNDS = localSettings(BOUNDS);

/**
 * The connections on which short reads of many requests are sent without waiting for each other's results; those of one event loop turn
 * leave in one packet. Most of the cost of a read by key is waking up the other side, so sharing saves a fifth of its processor time. A
 * slow statement delays all those sent after it, so none may be slow.
 */
@Injectable()
export class SharedConnections implements OnApplicationShutdown {
  private readonly connections: SharedConnection[];
  private next = 0;
  private unanswered = 0;

  constructor(dataSource: DataSource) {
    this.connections = Array.from({ length: CONNECTIONS }, () => new SharedConnection(dataSource));
  }

  /** The open connections, and those that are opened. */
  get clients(): readonly Client[] {
    return this.connections.flatMap(({ client, opened }) => client ?? opened ?? []);
  }

  /** Whether another read can be expected to end soon. */
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

/** Opened when it is first needed, and opened again after it was lost. */
class SharedConnection {
  client: Client | undefined;
  /** A connection that is not in use yet. The server may go silent before its session is configured. */
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
    // Statements sent on it fail by themselves. Without a listener the error would end the process.
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
        // Ends after the statements that were already sent on it.
        void client.end();
      }
      throw error;
    }
  }
}

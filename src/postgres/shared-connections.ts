import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Client, type QueryResult } from 'pg';
import { DataSource } from 'typeorm';
import { connectionOptions } from './data-source.js';
import { spoilsConnection } from './pool.js';
import { sendTogether, type Statement } from './statement.js';

/** With one, a slow answer would hold up everybody; with many, little would be shared. */
const CONNECTIONS = 2;
/** More than so many under way on each mean that PostgreSQL does not answer. */
const ROOM = 200;
/** Milliseconds. What waits here holds up all that is behind it. */
const BOUNDS = { statement_timeout: 2_000, lock_timeout: 1_000 };

/**
 * Connections on which short reads of many requests follow one another without waiting for each other's answers, and
 * those of one turn of the event loop leave in one packet. What a read by key costs is mostly waking up the other side:
 * so shared, it takes a fifth less of the processor. What comes behind a slow statement waits for it, so none may be slow.
 */
@Injectable()
export class SharedConnections implements OnApplicationShutdown {
  private readonly connections: SharedConnection[];
  private turn = 0;
  private underWay = 0;

  constructor(dataSource: DataSource) {
    this.connections = Array.from({ length: CONNECTIONS }, () => new SharedConnection(dataSource));
  }

  /** Those that are open. */
  get clients(): readonly Client[] {
    return this.connections.flatMap(({ client }) => client ?? []);
  }

  /** Whether it is of any use to ask here. */
  get hasRoom(): boolean {
    return this.underWay < CONNECTIONS * ROOM;
  }

  async query(wanted: Statement): Promise<QueryResult> {
    this.turn = (this.turn + 1) % CONNECTIONS;
    this.underWay++;
    try {
      return await this.connections[this.turn]!.query(wanted);
    } finally {
      this.underWay--;
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.connections.map((connection) => connection.close()));
  }
}

/** Opened when it is first needed, and again when it was lost. */
class SharedConnection {
  client: Client | undefined;
  private opening: Promise<Client> | undefined;
  private isHeldBack = false;

  constructor(private readonly dataSource: DataSource) {}

  query(wanted: Statement): Promise<QueryResult> {
    if (this.client) return this.send(this.client, wanted);
    this.opening ??= this.open().finally(() => (this.opening = undefined));
    return this.opening.then((client) => this.send(client, wanted));
  }

  async close(): Promise<void> {
    await this.opening?.catch(() => undefined);
    await this.client?.end();
  }

  private async open(): Promise<Client> {
    const client = new Client({ ...connectionOptions(this.dataSource), ...BOUNDS, pipeline: true } as object);
    const lost = (): void => {
      if (this.client === client) this.client = undefined;
    };
    // Whoever waits for an answer on it is told by that; without a listener the error would end the process.
    client.on('error', lost).on('end', lost);
    await client.connect();
    return (this.client = client);
  }

  private async send(client: Client, wanted: Statement): Promise<QueryResult> {
    const { stream } = (client as unknown as { connection: { stream: { cork(): void; uncork(): void } } }).connection;
    if (!this.isHeldBack) {
      this.isHeldBack = true;
      stream.cork();
      setImmediate(() => {
        this.isHeldBack = false;
        stream.uncork();
      });
    }
    try {
      return (await sendTogether(client, [wanted]))[0]!;
    } catch (error) {
      if (spoilsConnection(error) && this.client === client) {
        this.client = undefined;
        // After what is still under way on it.
        void client.end();
      }
      throw error;
    }
  }
}

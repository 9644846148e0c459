import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { Log } from '../kernel/log.js';
import { connectionOptions } from './data-source.js';
import type { Heartbeat } from './replicas.js';

/** Milliseconds for connecting, and again for the response. */
const TIMEOUT_MS = 2_000;
const ASKED_EVERY_MS = 5_000;

/** A connection of its own queues behind no request. */
@Injectable()
export class DatabaseProbe implements OnApplicationShutdown {
  private client: Client | undefined;
  private underWay: Promise<boolean> | undefined;
  private fault: string | undefined;
  private timer: NodeJS.Timeout | undefined;
  private wasAvailable = false;
  private heartbeat: Heartbeat | undefined;

  constructor(
    private readonly dataSource: DataSource,
    private readonly log: Log,
  ) {}

  /** Asks periodically, because metrics need an answer also where no balancer asks. Resolves with the first answer. */
  async begin(heartbeat: Heartbeat): Promise<void> {
    this.heartbeat = heartbeat;
    const ask = async (): Promise<void> => {
      // A statement that hangs would keep the next answer waiting.
      if (await this.isAvailable()) await heartbeat.beat(this.run).catch(() => this.disconnect());
    };
    this.timer = setInterval(() => void ask(), ASKED_EVERY_MS).unref();
    await ask();
  }

  private readonly run = async (sql: string, parameters?: readonly unknown[]): Promise<unknown> =>
    this.client?.query(sql, parameters && [...parameters]);

  get isUp(): boolean {
    return this.wasAvailable;
  }

  /** Resolves within 4 s. Callers at the same time share one result. */
  isAvailable(): Promise<boolean> {
    return (this.underWay ??= this.ask().then((isAvailable) => {
      this.underWay = undefined;
      return (this.wasAvailable = isAvailable);
    }));
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.underWay;
    await this.heartbeat?.end(this.run).catch(() => undefined);
    await this.client?.end();
  }

  private async ask(): Promise<boolean> {
    try {
      const client = (this.client ??= await this.connect());
      const { rows } = await client.query<{ writable: boolean }>(
        `select current_setting('transaction_read_only') = 'off' as writable`,
      );
      if (rows[0]?.writable !== true) throw new Error('The server takes no writes.');
      this.fault = undefined;
      return true;
    } catch (error) {
      const { code, message } = error as Error & { readonly code?: string };
      // A replica that is not ready receives no requests whose log lines would name the cause.
      if (message !== this.fault) this.log.error({ code, reason: message }, 'database unavailable');
      this.fault = message;
    }
    // After a failover the next connection may lead to another server.
    this.disconnect();
    return false;
  }

  private disconnect(): void {
    void this.client?.end().catch(() => undefined);
    this.client = undefined;
  }

  private async connect(): Promise<Client> {
    const client = new Client({
      ...connectionOptions(this.dataSource),
      connectionTimeoutMillis: TIMEOUT_MS,
      query_timeout: TIMEOUT_MS,
    });
    // The next question replaces a broken connection; without a listener its error would end the process.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }
}

import type { INestApplicationContext } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { openDatabase } from '../open-database.js';
import type { Database } from '../postgres/database.js';
import type { Config } from '../services/config/config.js';
import type { Terminal } from '../services/cli/terminal.js';

/** The database and the service are opened on first use. */
export class Workspace {
  private url: Promise<string> | undefined;
  private started: Promise<INestApplicationContext> | undefined;
  private readonly opened: (() => Promise<void>)[] = [];

  constructor(
    readonly config: Config,
    readonly terminal: Terminal,
  ) {}

  databaseUrl(): Promise<string> {
    this.url ??= openDatabase(this.config, (line) => this.terminal.err(`${line}\n`)).then(({ url, close }) => {
      this.opened.push(close);
      return url;
    });
    return this.url;
  }

  /** Throws when the database lacks migrations. */
  service(): Promise<INestApplicationContext> {
    this.started ??= this.start();
    return this.started;
  }

  private async start(): Promise<INestApplicationContext> {
    const [{ NestFactory }, { AppModule }, { createLogger, NestLogger }] = await Promise.all([
      import('@nestjs/core'),
      import('../app.module.js'),
      import('../services/observability/logger.js'),
    ]);
    const logger = createLogger('silent');
    const settings = { config: this.config, databaseUrl: await this.databaseUrl(), logger };
    await this.withDataSource(requireMigrations);
    const context = await NestFactory.createApplicationContext(AppModule.with(settings), {
      logger: new NestLogger(logger),
      abortOnError: false,
    });
    this.opened.push(() => context.close());
    return context;
  }

  async withDataSource<T>(work: (dataSource: DataSource) => Promise<T>): Promise<T> {
    const [{ DataSource }, { dataSourceOptions }] = await Promise.all([
      import('typeorm'),
      import('../postgres/data-source.js'),
    ]);
    const dataSource = new DataSource({ ...dataSourceOptions(this.config, await this.databaseUrl()), poolSize: 2 });
    await dataSource.initialize();
    try {
      return await work(dataSource);
    } finally {
      await dataSource.destroy();
    }
  }

  /** Throws when the database lacks migrations. */
  async withDatabase<T>(work: (database: Database, dataSource: DataSource) => Promise<T>): Promise<T> {
    const [{ Database }, { SharedConnections }] = await Promise.all([
      import('../postgres/database.js'),
      import('../postgres/shared-connections.js'),
    ]);
    return this.withDataSource(async (dataSource) => {
      await requireMigrations(dataSource);
      return work(new Database(dataSource, new SharedConnections(dataSource)), dataSource);
    });
  }

  async close(): Promise<void> {
    for (const close of this.opened.toReversed()) await close();
  }
}

export async function requireMigrations(dataSource: DataSource): Promise<void> {
  const { lacksMigrations } = await import('../postgres/migrate.js');
  const { sqlObjects } = await import('../postgres/sql-objects.js');
  if (await lacksMigrations(dataSource, sqlObjects()))
    throw new Error('The database lacks migrations. Run first: migrate');
}

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { EmbeddedPostgres } from '../../src/dev/embedded-postgres.js';
import { createDatabase } from '../support/database.js';

/** How long the server keeps non-durable commits in memory. Longer than by default, so that a crash loses some. */
const WAL_WRITER_DELAY = '3s';

/** A PostgreSQL for this run that can crash. */
export class CrashingPostgres {
  private constructor(
    private readonly server: EmbeddedPostgres,
    private readonly dataDir: string,
    private readonly database: string,
  ) {}

  static async start(synchronousCommit: 'on' | 'off'): Promise<CrashingPostgres> {
    const dataDir = await mkdtemp(join(tmpdir(), 'chaos-postgres-'));
    const server = await EmbeddedPostgres.start({
      dataDir,
      settings: {
        // The processes crash, not the machine: written data survives.
        fsync: 'off',
        synchronous_commit: synchronousCommit,
        wal_writer_delay: WAL_WRITER_DELAY,
        max_connections: 100,
      },
    });
    const { url } = await createDatabase(server.url);
    return new CrashingPostgres(server, dataDir, new URL(url).pathname);
  }

  /** The database URL for a user of this name, which identifies its connections in `pg_stat_activity`. */
  async urlFor(user: string): Promise<string> {
    await this.ask((client) => client.query(`create role ${user} superuser login password '${user}'`));
    return this.url(user);
  }

  /** Runs statements on a separate connection, and repeats them until the server answers. */
  async ask<T>(work: (client: Client) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      const client = new Client({ connectionString: this.url() });
      // The running statement reports a crash; between statements it does not matter.
      client.on('error', () => {});
      try {
        await client.connect();
        return await work(client);
      } catch (error) {
        if (tries >= 600) throw error;
        await sleep(100);
      } finally {
        await client.end().catch(() => {});
      }
    }
  }

  /**
   * Kills a backend by SIGKILL, after which the server restarts all of them, or stops the whole server as `pg_ctl stop
   * -m immediate` does.
   */
  async crash(whole: boolean): Promise<void> {
    const pid = await this.ask(async (client) => {
      const { rows } = await client.query<{ pid: number; directory: string }>(
        `select pg_backend_pid() as pid, current_setting('data_directory') as directory`,
      );
      const [{ pid, directory }] = rows as [{ pid: number; directory: string }];
      if (!whole) process.kill(pid, 'SIGKILL');
      return whole ? parseInt(await readFile(join(directory, 'postmaster.pid'), 'latin1'), 10) : null;
    });
    if (pid !== null) process.kill(pid, 'SIGQUIT');
  }

  async stop(): Promise<void> {
    await this.server.stop();
    await rm(this.dataDir, { recursive: true, force: true });
  }

  private url(user?: string): string {
    const url = new URL(this.server.url);
    url.pathname = this.database;
    if (user) url.username = url.password = user;
    return url.href;
  }
}

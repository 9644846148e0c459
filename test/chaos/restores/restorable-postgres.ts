import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chown, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { EmbeddedPostgres } from '../../../src/dev/embedded-postgres.js';
import { createDatabase } from '../../support/database.js';

const run = promisify(execFile);
// The processes are killed, not the machine: written data survives.
const SETTINGS = { fsync: 'off', max_connections: 100, wal_level: 'replica', max_wal_senders: 4, wal_keep_size: '1GB' };

/** A data directory that is complete once a server recovers it. */
interface Copy {
  readonly dataDir: string;
}

/**
 * A PostgreSQL that is lost and comes back older, behind one address: by the recovery of a base backup or of a copied data
 * directory, or by the promotion of an asynchronous standby. Behind the address there is never more than one primary.
 */
export class RestorablePostgres {
  private readonly dataDirs: string[] = [];
  private readonly sockets = new Set<Socket>();
  private standby: EmbeddedPostgres | undefined;
  private standbyDir = '';

  private constructor(
    private server: EmbeddedPostgres,
    private dataDir: string,
    private readonly database: string,
    private readonly gateway: Server,
  ) {}

  static async start(): Promise<RestorablePostgres> {
    const dataDir = await newDataDir();
    const server = await EmbeddedPostgres.start({ dataDir, settings: SETTINGS });
    const { url } = await createDatabase(server.url);
    const gateway = createServer();
    const postgres = new RestorablePostgres(server, dataDir, new URL(url).pathname, gateway);
    gateway.on('connection', (socket) => postgres.connect(socket)).listen(0, '127.0.0.1');
    await once(gateway, 'listening');
    postgres.dataDirs.push(dataDir);
    return postgres;
  }

  /** The address that stays the same. */
  get url(): string {
    const url = new URL(this.urlOf(this.server));
    url.port = String((this.gateway.address() as AddressInfo).port);
    return url.href;
  }

  ask<T>(work: (client: Client) => Promise<T>): Promise<T> {
    return asking(this.urlOf(this.server), work);
  }

  /** A base backup while the server works: the files, then the write-ahead log that makes them consistent. */
  async backUp(): Promise<Copy> {
    const [from, dataDir] = [join(this.dataDir, 'cluster'), await newDataDir()];
    this.dataDirs.push(dataDir);
    const to = join(dataDir, 'cluster');
    const label = await this.ask(async (client) => {
      await client.query(`select pg_backup_start('backup', true)`);
      // Files may vanish while they are copied, which recovery repairs.
      await run('cp', ['-a', from, to]).catch((error: { code?: number }) => {
        if (error.code !== 1) throw error;
      });
      const { rows } = await client.query<{ labelfile: string }>(`select labelfile from pg_backup_stop(false)`);
      return rows[0]!.labelfile;
    });
    await rm(join(to, 'pg_wal'), { recursive: true });
    await run('cp', ['-a', join(from, 'pg_wal'), join(to, 'pg_wal')]);
    for (const name of ['postmaster.pid', 'postmaster.opts', 'standby.signal', 'recovery.signal']) {
      await rm(join(to, name), { force: true });
    }
    await own(to, 'backup_label', label);
    return { dataDir };
  }

  /** Kills the server by SIGKILL, and starts one on the copy. With `newTimeline` it recovers an archive, as from a base backup. */
  async restore({ dataDir }: Copy, newTimeline: boolean): Promise<void> {
    await this.crash();
    const cluster = join(dataDir, 'cluster');
    if (newTimeline) {
      await own(cluster, 'recovery.signal', '');
      // The log is complete in the copy; the archive has nothing.
      await appendFile(join(cluster, 'postgresql.auto.conf'), `restore_command = 'false'\n`);
    }
    this.server = await EmbeddedPostgres.start({ dataDir, settings: SETTINGS });
    this.dataDir = dataDir;
    await this.untilPrimary(this.server);
  }

  /** Starts a standby that streams, and is never waited for by a commit. */
  async startStandby(): Promise<void> {
    const { dataDir } = await this.backUp();
    const cluster = join(dataDir, 'cluster');
    const { port, password } = new URL(this.server.url);
    await own(cluster, 'standby.signal', '');
    const source = `host=127.0.0.1 port=${port} user=postgres password=${password}`;
    await appendFile(join(cluster, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`);
    this.standby = await EmbeddedPostgres.start({ dataDir, settings: SETTINGS });
    this.standbyDir = dataDir;
    while ((await this.walSenders()).length === 0) await sleep(50);
  }

  /** From now on the standby receives nothing, as behind a slow network. */
  async delayStandby(): Promise<void> {
    for (const pid of await this.walSenders()) process.kill(pid, 'SIGSTOP');
  }

  /** Kills the primary and promotes the standby in its place. */
  async failOver(): Promise<void> {
    const senders = await this.walSenders();
    await this.crash(senders);
    this.server = this.standby!;
    this.dataDir = this.standbyDir;
    this.standby = undefined;
    await this.ask((client) => client.query('select pg_promote(true, 60)'));
    await this.untilPrimary(this.server);
  }

  async stop(): Promise<void> {
    this.gateway.close();
    this.closeAll();
    await this.standby?.stop();
    await this.server.stop();
    for (const dataDir of this.dataDirs) await rm(dataDir, { recursive: true, force: true });
  }

  /** No client reaches the server any more, which is then killed. */
  private async crash(children: readonly number[] = []): Promise<void> {
    const pid = parseInt(await readFile(join(this.dataDir, 'cluster', 'postmaster.pid'), 'latin1'), 10);
    for (const each of [pid, ...children]) process.kill(each, 'SIGKILL');
    this.closeAll();
    await this.server.stop();
  }

  private async walSenders(): Promise<number[]> {
    return this.ask(async (client) => {
      const { rows } = await client.query<{ pid: number }>(
        `select pid from pg_stat_replication where state = 'streaming'`,
      );
      return rows.map(({ pid }) => pid);
    });
  }

  private async untilPrimary(server: EmbeddedPostgres): Promise<void> {
    const isPrimary = async (client: Client): Promise<boolean> => {
      const { rows } = await client.query<{ is: boolean }>('select not pg_is_in_recovery() as is');
      return rows[0]!.is;
    };
    while (!(await asking(this.urlOf(server), isPrimary))) await sleep(50);
  }

  private urlOf(server: EmbeddedPostgres): string {
    const url = new URL(server.url);
    url.pathname = this.database;
    return url.href;
  }

  private connect(client: Socket): void {
    const server = connect(Number(new URL(this.server.url).port), '127.0.0.1');
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.sockets.delete(socket);
        other.destroy();
      });
    }
    client.pipe(server).pipe(client);
  }

  private closeAll(): void {
    for (const socket of this.sockets) socket.destroy();
  }
}

async function newDataDir(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'restores-'));
}

/** Writes a file that belongs to the owner of the cluster. */
async function own(cluster: string, name: string, text: string): Promise<void> {
  const { uid, gid } = await stat(cluster);
  await writeFile(join(cluster, name), text);
  await chown(join(cluster, name), uid, gid);
}

/** Runs statements on a connection of their own, and repeats them until the server answers. */
async function asking<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    const client = new Client({ connectionString: url });
    client.on('error', () => {});
    try {
      await client.connect();
      return await work(client);
    } catch (error) {
      if (tries >= 100) throw error;
      await sleep(100);
    } finally {
      await client.end().catch(() => {});
    }
  }
}

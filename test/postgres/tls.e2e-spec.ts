import { execFile, execFileSync } from 'node:child_process';
import { chownSync, chmodSync, copyFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { runCommand } from '../../src/cli/run-command.js';
import { EmbeddedPostgres } from '../../src/dev/embedded-postgres.js';
import { startApp } from '../support/app.js';
import { eventually } from '../support/eventually.js';

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version']);
    return true;
  } catch {
    return false;
  }
}

(hasOpenssl() ? describe : describe.skip)('sslmode=verify-full', () => {
  const home = mkdtempSync(join(tmpdir(), 'tls-'));
  const at = (name: string): string => join(home, name);
  const openssl = (...args: string[]): Promise<unknown> => promisify(execFile)('openssl', args);
  let postgres: EmbeddedPostgres;

  /** As a provider of databases signs the certificates of its servers. */
  async function makeAuthority(name: string): Promise<void> {
    const files = ['-keyout', at(`${name}.key`), '-out', at(`${name}.crt`)];
    await openssl('req', '-x509', ...NEW_KEY, '-days', '2', '-subj', `/CN=${name}`, ...files);
  }

  const urlBy = (authority: string, host = 'localhost'): string => {
    const url = new URL(postgres.url);
    url.hostname = host;
    url.search = new URLSearchParams({ sslmode: 'verify-full', sslrootcert: at(`${authority}.crt`) }).toString();
    return url.href;
  };

  async function doctor(databaseUrl: string): Promise<string> {
    let text = '';
    const terminal = { out: (part: string) => void (text += part), err: () => undefined };
    const env = { NODE_ENV: 'test', DATABASE_URL: databaseUrl, DATA_DIR: home };
    await runCommand(['doctor', '--json'], { env, terminal });
    return (JSON.parse(text) as { database: string }).database;
  }

  beforeAll(async () => {
    chmodSync(home, 0o755);
    postgres = await EmbeddedPostgres.start({ dataDir: at('postgres') });
    await Promise.all(['authority', 'stranger'].map(makeAuthority));
    await openssl('req', '-new', ...NEW_KEY, '-subj', '/CN=x', '-keyout', at('server.key'), '-out', at('server.csr'));
    writeFileSync(at('names'), 'subjectAltName=DNS:localhost');
    const by = ['-CA', at('authority.crt'), '-CAkey', at('authority.key'), '-CAcreateserial', '-extfile', at('names')];
    await openssl('x509', '-req', '-in', at('server.csr'), ...by, '-days', '2', '-out', at('server.crt'));
    const client = new Client({ connectionString: postgres.url });
    await client.connect();
    const { rows } = await client.query<{ folder: string }>(`select current_setting('data_directory') as folder`);
    const { uid, gid } = statSync(rows[0]!.folder);
    for (const name of ['server.crt', 'server.key']) {
      const copy = join(rows[0]!.folder, name);
      copyFileSync(at(name), copy);
      chmodSync(copy, 0o600);
      chownSync(copy, uid, gid);
    }
    await client.query('alter system set ssl = on');
    await client.query('select pg_reload_conf()');
    await client.end();
    await eventually(async () => expect(await doctor(urlBy('authority'))).toBe('ok'));
  });
  afterAll(async () => {
    await postgres?.stop();
    rmSync(home, { recursive: true, force: true });
  });

  it('refuses a server that another authority has certified, and one of another name', async () => {
    expect(await doctor(urlBy('stranger'))).toMatch(/certificate/);
    expect(await doctor(urlBy('authority', '127.0.0.1'))).toMatch(/does not match certificate/);
  });

  it('is kept by every connection of the service', async () => {
    const app = await startApp({ databaseUrl: urlBy('authority') });
    const client = new Client({ connectionString: postgres.url });
    try {
      expect((await app.call('GET', '/readyz')).status).toBe(200);
      await client.connect();
      const { rows } = await client.query<{ secured: boolean; connections: number }>(
        `select bool_and(s.ssl) as secured, count(*)::int as connections
           from pg_stat_activity a join pg_stat_ssl s on s.pid = a.pid
          where a.backend_type = 'client backend' and a.pid <> pg_backend_pid()`,
      );
      expect(rows).toEqual([{ secured: true, connections: expect.any(Number) }]);
      expect(rows[0]!.connections).toBeGreaterThan(2);
    } finally {
      await client.end();
      await app.stop();
    }
  });
});

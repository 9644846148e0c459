import { execFile } from 'node:child_process';
import { type AddressInfo, Server } from 'node:net';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { exampleId } from '../../../src/kernel/examples.js';
import { FirstStart } from '../../../src/modules/apps/index.js';
import { Database } from '../../../src/postgres/database.js';
import { createDatabase } from '../../support/database.js';
import { MANAGEMENT_KEY, startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';

const DEVELOPMENT = { NODE_ENV: 'development', LOG_LEVEL: 'silent', MANAGEMENT_KEY: '' };

let printed: string;
let stdout: jest.SpyInstance;
beforeEach(() => {
  printed = '';
  stdout = jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
});
afterEach(() => stdout.mockRestore());

const word = (pattern: RegExp): string => {
  const found = printed.match(new RegExp(pattern, 'g')) ?? [];
  expect(found).toHaveLength(1);
  return found[0] as string;
};

describe('the first start in development', () => {
  let service: TestApp;
  afterEach(() => service.stop());

  it('prints working keys of a demo app and of the management API, once', async () => {
    service = await startApp({ env: DEVELOPMENT });
    const managementKey = word(/mk_\w{48}/);
    const secretKey = word(/sk_test_\w{48}/);
    word(/pk_test_\w{48}/);
    const appId = word(/app_\w{26}/);
    expect(printed).toContain('/docs');
    expect((await service.call('GET', '/v1/auth/oauth_connections/list', { key: secretKey })).status).toBe(200);
    const urls = await service.call('GET', `/management/v1/apps/${appId}/redirect_urls`, { key: managementKey });
    const found = urls.body.redirect_urls.map(({ kind, url, is_default }: Record<string, unknown>) => [
      kind,
      url,
      is_default,
    ]);
    expect(found.toSorted()).toEqual([
      ['invite', 'http://localhost:3001/login', true],
      ['login', 'http://localhost:3001/login', true],
      ['login', 'http://localhost:3001/welcome', false],
      ['registration', 'http://localhost:3001/login', true],
    ]);
    printed = '';
    await service.nest.get(FirstStart).run();
    expect(printed).not.toMatch(/(mk|sk_test|pk_test)_\w/);
    for (const said of ['/docs', '/console', 'npm run cli -- create-key', 'npm run cli -- fund'])
      expect(printed).toContain(said);
  });

  it('prints the keys as lines of a shell', async () => {
    service = await startApp({ env: DEVELOPMENT });
    const variables = ['S', 'APP', 'SECRET', 'PUBLIC', 'MANAGEMENT'];
    const script = `${printed}\nfor name in ${variables.join(' ')}; do printenv $name; done`;
    const { stdout: values } = await promisify(execFile)('/bin/sh', ['-euc', script], {
      env: { PATH: process.env['PATH'] },
    });
    expect(values).toMatch(/^http:\/\/localhost:\d+\napp_\w{26}\nsk_test_\w{48}\npk_test_\w{48}\nmk_\w{48}\n$/);
  });

  it('makes and prints no keys when the port is taken; the next start does', async () => {
    service = await startApp();
    const { port } = new URL(service.url);
    const { url: databaseUrl, drop } = await createDatabase();
    await expect(startApp({ env: { ...DEVELOPMENT, PORT: port }, databaseUrl })).rejects.toThrow(
      `port ${port}. Stop it, or use another port: PORT=${Number(port) + 1} npm start`,
    );
    expect(printed).toBe('');
    const next = await startApp({ env: DEVELOPMENT, databaseUrl });
    word(/mk_\w{48}/);
    word(/sk_test_\w{48}/);
    await next.stop();
    await drop();
  });

  it('is over before the replica says that it is ready, because only then does the process handle a signal to stop', async () => {
    const { url: databaseUrl } = await createDatabase();
    const lock = new Client({ connectionString: databaseUrl });
    await lock.connect();
    await lock.query('begin');
    await lock.query('lock table management_keys in share row exclusive mode');
    const listened = jest.spyOn(Server.prototype, 'listen');
    const starting = startApp({ env: DEVELOPMENT, databaseUrl });
    const server = await eventually(() => {
      const running = listened.mock.contexts.find((each) => each.listening);
      if (!running) throw new Error('The service does not listen yet.');
      return running;
    });
    listened.mockRestore();
    const { port } = server.address() as AddressInfo;
    const get = (path: string) => fetch(`http://localhost:${port}${path}`);
    const duringStart = [await get('/livez'), await get('/readyz')];
    await lock.end();
    service = await starting;
    expect([...duringStart, await get('/readyz')].map(({ status }) => status)).toEqual([200, 503, 200]);
    expect(await duringStart[1]!.json()).toMatchObject({ detail: expect.stringContaining('starting') });
  });

  it('is gone through by one of many replicas that start at the same moment', async () => {
    service = await startApp({ env: DEVELOPMENT });
    const replica = await startApp({ env: DEVELOPMENT, databaseUrl: service.databaseUrl });
    await emptyTables(service.nest.get(Database));
    printed = '';
    const starts = Array.from({ length: 20 }, (_, i) => (i % 2 ? service : replica).nest.get(FirstStart).run());
    await Promise.all(starts);
    word(/mk_\w{48}/);
    word(/app_\w{26}/);
    const [count] = await service.nest
      .get(Database)
      .write(`select (select count(*) from apps)::int as apps, (select count(*) from management_keys)::int as keys`);
    expect(count).toEqual({ apps: 1, keys: 1 });
    await replica.stop();
  });
});

/** A statement for each table: one that locks several of them may lose a deadlock with background work. */
async function emptyTables(database: Database): Promise<void> {
  const tables = await database.read<{ name: string }>(
    `select distinct table_name as name from information_schema.columns
      where table_schema = 'public' and column_name = 'app_id'
        and table_name in (select relname from pg_class where relkind in ('r', 'p') and not relispartition)`,
  );
  for (const { name } of [...tables, { name: 'apps' }, { name: 'management_keys' }])
    await database.write(`truncate ${name} cascade`);
}

describe('a start with a management key in the environment', () => {
  it('prints nothing, takes that key, and ends the one that was there before', async () => {
    const service = await startApp();
    const list = (at: TestApp, key: string) => at.call('GET', '/management/v1/apps', { key });
    expect((await list(service, MANAGEMENT_KEY)).status).toBe(200);
    const next = `mk_${'N'.repeat(40)}`;
    const replica = await startApp({ env: { MANAGEMENT_KEY: next }, databaseUrl: service.databaseUrl });
    expect((await list(replica, next)).status).toBe(200);
    expect((await list(replica, MANAGEMENT_KEY)).status).toBe(401);
    // A start without the variable, as of a worker that needs no such key, ends nothing.
    const worker = await startApp({ env: { MANAGEMENT_KEY: '' }, databaseUrl: service.databaseUrl });
    expect((await list(worker, next)).status).toBe(200);
    const back = await startApp({ databaseUrl: service.databaseUrl });
    expect((await list(back, MANAGEMENT_KEY)).status).toBe(200);
    expect(printed).toBe('');
    for (const one of [back, worker, replica, service]) await one.stop();
  });
});

describe('a start in production', () => {
  const MASTER_KEYS = `k1:${Buffer.from('0b7c1d5e9f2a4c6e8d1f3b5a7c9e0d2f4b6a8c1e3d5f7092a4c6e8d0f1b3a597', 'hex').toString('base64')}`;
  const PRODUCTION = {
    ...DEVELOPMENT,
    NODE_ENV: 'production',
    BASE_URL: 'https://id.example.test',
    MASTER_KEYS,
    ALLOW_PRIVATE_NETWORKS: 'false',
  };

  it('prints a management key when there is none, and makes no demo app', async () => {
    const service = await startApp({ env: PRODUCTION });
    const { body } = await service.call('GET', '/management/v1/apps', { key: word(/mk_\w{48}/) });
    expect(body.apps).toEqual([]);
    const [users] = await service.nest.get(Database).read('select count(*)::int as number from users');
    expect(users).toEqual({ number: 0 });
    await service.stop();
  });

  it('is refused while the database has the demo app, whose user has public credentials', async () => {
    const { url: databaseUrl, drop } = await createDatabase();
    const development = await startApp({ env: { ...DEVELOPMENT, MASTER_KEYS }, databaseUrl });
    await expect(startApp({ env: PRODUCTION, databaseUrl })).rejects.toThrow(/has the demo app .*Delete the app/);
    const path = `/management/v1/apps/${exampleId('app')}`;
    expect((await development.call('DELETE', path, { key: word(/mk_\w{48}/) })).status).toBe(200);
    await development.stop();
    const production = await startApp({ env: PRODUCTION, databaseUrl });
    await production.stop();
    await drop();
  });
});

import { Client } from 'pg';
import { startApp, type TestApp } from './app.js';
import { Observer } from './observer.js';

let app: TestApp;
let observer: Observer;
let clients: [Client, Client];
beforeAll(async () => {
  app = await startApp({ env: { ROLE: 'api' } });
  observer = await Observer.of(app);
  clients = [new Client({ connectionString: app.databaseUrl }), new Client({ connectionString: app.databaseUrl })];
  for (const client of clients) await client.connect();
});
afterAll(async () => {
  for (const client of clients) await client.end();
  await observer.close();
  await app.stop();
});

it('calls that wait together go on before their time limit ends, although another call comes late', async () => {
  const [early, late] = clients;
  await early.query(`set statement_timeout = '7s'`);
  let ended!: () => void;
  const earlyIsDone = new Promise<void>((resolve) => (ended = resolve));
  const answers = await observer.together('magic_links', [
    () => early.query('select count(*)::int from magic_links').finally(ended),
    () => earlyIsDone.then(() => late.query('select count(*)::int from magic_links')),
  ]);
  expect(answers.map(({ rows }) => rows)).toEqual([[{ count: 0 }], [{ count: 0 }]]);
});

it('a connection that is opened while the observer holds the table is seen to wait', async () => {
  let looks = 0;
  await observer.rows('begin; lock table magic_links in access exclusive mode');
  await observer.untilWaiting('magic_links', () => (looks++ === 0 ? 1 : 0));
  const client = new Client({ connectionString: app.databaseUrl });
  await client.connect();
  const waits = client.query('select count(*)::int from magic_links');
  await observer.untilWaiting('magic_links', () => 1).finally(() => observer.rows('rollback'));
  expect((await waits).rows).toEqual([{ count: 0 }]);
  await client.end();
});

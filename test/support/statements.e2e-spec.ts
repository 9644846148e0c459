import { Database } from '../../src/postgres/database.js';
import { startApp, type TestApp } from './app.js';
import { eventually } from './eventually.js';
import { textsOf } from './statements.js';

let service: TestApp;
beforeAll(async () => {
  service = await startApp({ env: { DATABASE_POOL_SIZE: '30' } });
});
afterAll(() => service?.stop());

describe('the statements of a piece of work', () => {
  it('are without those of schedules and loops that run meanwhile', async () => {
    const { id } = await service.given.app();
    const database = service.nest.get(Database);
    const DUE = 'select kind from jobs where due_at <= now() or lease is not null';
    const MADE = 'update jobs set (due_at, rank_at) = (now(), now()) where lease is null returning kind';
    const due = () => database.write(DUE);
    await eventually(async () => expect(await due()).toEqual([]));
    const sent = await textsOf(async () => {
      expect((await database.write(MADE)).length).toBeGreaterThan(20);
      await eventually(async () => expect(await due()).toEqual([]));
      await database.write('select name from apps where id = $1', [id]);
    });
    expect(sent.filter((text) => text !== DUE)).toEqual([MADE, 'select name from apps where id = $1']);
  });

  it('are without those of connections that are opened meanwhile', async () => {
    const database = service.nest.get(Database);
    const own = 'select pg_sleep(0.05)';
    // More at a time than the loops have opened.
    const sent = await textsOf(() => Promise.all(Array.from({ length: 25 }, () => database.write(own))));
    expect(sent).toEqual(Array(25).fill(own));
  });
});

import { Database } from '../../src/postgres/database.js';
import { startApp, type TestApp } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import type { GivenApp } from '../support/given.js';
import { Observer } from '../support/observer.js';

let service: TestApp;
let observer: Observer;
beforeAll(async () => {
  service = await startApp({ env: { DATABASE_POOL_SIZE: '2' } });
  observer = await Observer.of(service);
});
afterAll(async () => {
  await observer.close();
  await service.stop();
});

/** A change of a user, which needs a connection of the pool. */
const rename = ({ secretKey: key }: GivenApp, userId: string) =>
  service.call('PUT', `/v1/auth/users/${userId}/update`, { key, body: { first_name: 'Ann' } });
const metric = async (name: string): Promise<number> =>
  Number(new RegExp(`^${name} (\\S+)$`, 'm').exec((await service.call('GET', '/metrics')).text)![1]);

describe('more calls than connections', () => {
  it('wait in a bounded queue, are refused beyond it at once, and stop neither another app nor background work', async () => {
    const [busy, other] = [await service.given.app(), await service.given.app()];
    const locked = await service.given.user(busy);
    const free = await service.given.user(busy);
    const ofOther = await service.given.user(other);
    await observer.rows('begin');
    await observer.rows('select from users where id = $1 for update', [locked.user_id]);
    const holding = [rename(busy, locked.user_id), rename(busy, locked.user_id)];
    await observer.untilWaiting('users', () => 2);
    const waiting = Array.from({ length: 260 }, () => rename(busy, free.user_id));
    const refused = await Promise.race(waiting);
    expect([refused.status, refused.body.error_type]).toEqual([503, 'overloaded']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    await eventually(async () => expect(await metric('database_connections_waiting')).toBe(250));
    expect(await metric('database_calls_refused_total')).toBe(10);
    // The service knows by now whose key it is: it refuses before all other work, as the missing headers show.
    await eventually(async () => expect((await rename(busy, free.user_id)).headers.get('x-frame-options')).toBeNull());
    const ofAnother = rename(other, ofOther.user_id);
    await eventually(async () => expect(await metric('database_connections_waiting')).toBe(251));
    expect((await service.call('GET', '/readyz')).status).toBe(200);
    expect(await service.nest.get(Database).list('select 1 as one')).toEqual([{ one: 1 }]);
    let servedBefore = 0;
    for (const call of waiting) void call.then(({ status }) => (servedBefore += status === 200 ? 1 : 0));
    await observer.rows('rollback');
    expect((await ofAnother).status).toBe(200);
    expect(servedBefore).toBeLessThan(20);
    const statuses = (await Promise.all([...holding, ...waiting])).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(252);
    expect(statuses.filter((status) => status === 503)).toHaveLength(10);
  });
});

import { DataSource } from 'typeorm';
import { type CurrentCall, runCall } from '../../src/kernel/current-call.js';
import { Database } from '../../src/postgres/database.js';
import { roomOf } from '../../src/postgres/pool.js';
import { poolOf } from '../../src/postgres/typeorm-internals.js';
import { startApp, type TestApp } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import type { GivenApp } from '../support/given.js';

let service: TestApp;
let moving: NodeJS.Timeout | undefined;
beforeAll(async () => {
  service = await startApp({ env: { DATABASE_POOL_SIZE: '2' } });
});
afterAll(async () => {
  clearInterval(moving);
  await service.stop();
});

/** A change of a user, which needs a connection of the pool. */
const rename = ({ secretKey: key }: GivenApp, userId: string, headers: Record<string, string> = {}) =>
  service.call('PUT', `/v1/auth/users/${userId}/update`, { key, headers, body: { first_name: 'Ann' } });
const metric = async (name: string): Promise<number> =>
  Number(new RegExp(`^${name} (\\S+)$`, 'm').exec((await service.call('GET', '/metrics')).text)![1]);
/** The call has a connection of the pool until what this resolves to is called. */
const enter = (call: CurrentCall): Promise<() => void> =>
  runCall(call, () => roomOf(poolOf(service.nest.get(DataSource))).enter());

describe('more calls than connections', () => {
  it('wait in a bounded queue, are refused beyond it at once, and stop neither another app nor background work', async () => {
    const [busy, other] = [await service.given.app(), await service.given.app()];
    const user = await service.given.user(busy);
    const ofOther = await service.given.user(other);
    const holder = { appId: busy.id };
    const holding = await Promise.all([enter(holder), enter(holder)]);
    // The queue moves, so that a slow test is no standstill: a call that has a connection takes another one and gives it back.
    moving = setInterval(() => void enter(holder).then((leave) => leave()), 500);
    const waiting = Array.from({ length: 240 }, async () => (await enter({ appId: busy.id }))());
    const calls = Array.from({ length: 20 }, () => rename(busy, user.user_id));
    const refused = await Promise.race(calls);
    expect([refused.status, refused.body.error_type]).toEqual([503, 'overloaded']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    await eventually(async () => expect(await metric('database_connections_waiting')).toBe(250));
    await eventually(async () => expect(await metric('database_calls_refused_total')).toBe(10));
    // The service knows whose key it is: it refuses before all other work, as the missing headers show.
    const atTheDoor = await rename(busy, user.user_id, { 'X-Request-Id': 'one-of-many' });
    expect(atTheDoor.headers.get('x-frame-options')).toBeNull();
    expect(atTheDoor.body).toMatchObject({ error_type: 'overloaded', request_id: 'one-of-many' });
    const ofAnother = rename(other, ofOther.user_id);
    await eventually(async () => expect(await metric('database_connections_waiting')).toBe(251));
    expect((await service.call('GET', '/readyz')).status).toBe(200);
    expect(await service.nest.get(Database).list('select 1 as one')).toEqual([{ one: 1 }]);
    clearInterval(moving);
    holding.forEach((leave) => leave());
    expect((await ofAnother).status).toBe(200);
    await Promise.all(waiting);
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([
      ...Array<number>(10).fill(200),
      ...Array<number>(10).fill(503),
    ]);
  });
});

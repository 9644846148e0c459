import { randomUUID } from 'node:crypto';
import { Transactions } from '../../../src/kernel/transactions.js';
import { Database } from '../../../src/platform/database/database.js';
import { startApp, type TestApp } from '../../support/app.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const row = async (): Promise<Buffer> => {
  const keyHash = Buffer.from(randomUUID());
  await app.nest
    .get(Database)
    .query(`insert into idempotency_keys (app_id, path, key_hash, body_hash) values ('t', '/', $1, $1)`, [keyHash]);
  return keyHash;
};
const lock = (keyHash: Buffer) =>
  app.nest
    .get(Database)
    .query(`update idempotency_keys set path = path where app_id = 't' and key_hash = $1`, [keyHash]);

describe('a transaction', () => {
  it('that loses a deadlock is run again, and both get through', async () => {
    const [one, two] = [await row(), await row()];
    const transactions = app.nest.get(Transactions);
    let runs = 0;
    // Each waits until both have their first lock, so that the second can only be a deadlock.
    let holding = 0;
    let bothHold!: () => void;
    const barrier = new Promise<void>((resolve) => (bothHold = resolve));
    const through = (first: Buffer, second: Buffer) =>
      transactions.run(async () => {
        runs++;
        await lock(first);
        if (++holding === 2) bothHold();
        await barrier;
        await lock(second);
        return 'through';
      });
    expect(await Promise.all([through(one, two), through(two, one)])).toEqual(['through', 'through']);
    expect(runs).toBe(3);
  });

  it('that fails leaves nothing, and takes the transactions nested in it along', async () => {
    const transactions = app.nest.get(Transactions);
    const keyHash = Buffer.from(randomUUID());
    const failing = transactions.run(async () => {
      await transactions.run(() =>
        app.nest
          .get(Database)
          .query(`insert into idempotency_keys (app_id, path, key_hash, body_hash) values ('t', '/', $1, $1)`, [
            keyHash,
          ]),
      );
      throw new Error('after all');
    });
    await expect(failing).rejects.toThrow('after all');
    expect(
      await app.nest
        .get(Database)
        .query(`select 1 as found from idempotency_keys where app_id = 't' and key_hash = $1`, [keyHash]),
    ).toEqual([]);
  });
});

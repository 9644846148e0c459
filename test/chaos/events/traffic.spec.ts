import { eventually } from '../../support/eventually.js';
import type { AppClient } from './endpoints.js';
import { Traffic } from './traffic.js';

it('the traffic counts the changes whose success was reported, and no calls without a response', async () => {
  let calls = 0;
  const call: AppClient['call'] = async () => {
    calls += 1;
    return calls === 1 ? null : { status: 200, body: { user_id: `user_${calls}` } };
  };
  const traffic = new Traffic({ call } as AppClient, Math.random, { users: 1_000 });
  traffic.start(2, () => 3);
  await eventually(() => expect(traffic.changes).toBeGreaterThanOrEqual(3));
  await traffic.stop();
  expect(traffic.changes).toBe(calls - 1);
});

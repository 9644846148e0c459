import { MANAGEMENT_KEY, startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { Chains } from './chains.js';

let service: TestApp;
let chains: Chains;
beforeAll(async () => {
  service = await startApp();
  chains = new Chains(service);
  // The run of the signer that follows the start is over; the next one is due in five minutes.
  await eventually(async () => {
    const due = await chains.sql(
      `select from jobs where kind = 'audit.checkpoints' and lease is null and due_at > now() + interval '2 minutes'`,
    );
    expect(due).toHaveLength(1);
  });
});
afterAll(() => service?.stop());

/** Whether the entry of this action is covered by a signed checkpoint. */
const isSigned = async (appId: string, action: string): Promise<boolean> => {
  const [row] = await chains.sql<{ yes: boolean }>(
    `select l.number <= (select max(c.number) from audit_checkpoints c where c.app_id = $1) as yes
       from audit_log l where l.app_id = $1 and l.action = $2 order by l.id desc limit 1`,
    [appId, action],
  );
  return row?.yes === true;
};

it('the creation of a key and a thaw sign a head at once, and another change does not', async () => {
  const app = await service.given.app();
  const path = `/management/v1/apps/${app.id}`;
  const post = (what: string, body: object = {}) =>
    service.call('POST', `${path}/${what}`, { key: MANAGEMENT_KEY, body });
  await post('keys', { kind: 'secret' });
  await eventually(async () => expect(await isSigned(app.id, 'key.created')).toBe(true));
  await chains.rename(app.id, 'Renamed');
  await post('freeze');
  expect(await isSigned(app.id, 'app.updated')).toBe(false);
  await post('thaw');
  await eventually(async () => expect(await isSigned(app.id, 'app.thawed')).toBe(true));
  expect((await chains.verify(null)).faults).toEqual([]);
  const [newest] = await chains.sql<{ value: string }>(`select value from service_state where name = 'audit_head'`);
  const [head] = await chains.sql<{ seq: number }>('select max(seq)::int as seq from audit_heads');
  expect(JSON.parse(newest!.value)).toMatchObject({ seq: head!.seq });
});

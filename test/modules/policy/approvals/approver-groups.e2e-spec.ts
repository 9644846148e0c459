import { newId } from '../../../../src/kernel/ids.js';
import { type Answer, startApp, type TestApp } from '../../../support/app.js';
import { Observer } from '../../../support/observer.js';
import { asking, PolicyApp } from '../policies.js';

let app: TestApp;
let observer: Observer;
let acme: PolicyApp;
let other: PolicyApp;
beforeAll(async () => {
  app = await startApp({ env: { ROLE: 'api' } });
  observer = await Observer.of(app);
});
afterAll(async () => {
  await observer?.close();
  await app?.stop();
});
beforeEach(async () => {
  [acme, other] = [await PolicyApp.of(app), await PolicyApp.of(app)];
});

const refusal = ({ status, body }: Answer) => [status, body.error_type];
const faults = ({ status, body }: Answer) => [status, body.errors?.map(({ field }: { field: string }) => field)];
const change = (id: string, fields: object, of = acme) => of.manage('PATCH', `/approver_groups/${id}`, fields);
const remove = (id: string, of = acme) => of.manage('DELETE', `/approver_groups/${id}`);
const namedIn = (ids: readonly string[]) => ids.map((user_id) => ({ user_id }));

describe('an approver group', () => {
  it('is created, read, changed and deleted', async () => {
    const [ada, alan] = [await acme.approver(), await acme.approver()];
    const { body } = await acme.createGroup([ada, alan]);
    expect(body).toEqual({
      id: expect.stringMatching(/^agrp_/),
      name: 'Treasury',
      members: namedIn([ada, alan]),
      created_at: expect.any(Number),
      updated_at: expect.any(Number),
    });
    expect((await acme.manage('GET', '/approver_groups')).body).toEqual({ approver_groups: [body], has_more: false });
    expect((await change(body.id, { name: 'Board' })).body).toMatchObject({ name: 'Board', members: body.members });
    expect((await change(body.id, { members: namedIn([alan]) })).body).toMatchObject({
      name: 'Board',
      members: namedIn([alan]),
    });
    expect((await remove(body.id)).body).toEqual({ id: body.id, message: 'The approver group was deleted.' });
    expect(refusal(await acme.manage('GET', `/approver_groups/${body.id}`))).toEqual([404, 'approver_group_not_found']);
  });

  it('of another app is not found', async () => {
    const id = await other.group([await other.approver()]);
    const answers = [
      await change(id, { name: 'x' }),
      await remove(id),
      await acme.manage('GET', `/approver_groups/${id}`),
    ];
    for (const answer of answers) expect(refusal(answer)).toEqual([404, 'approver_group_not_found']);
    expect((await other.manage('GET', `/approver_groups/${id}`)).body.name).toBe('Treasury');
  });

  it('has only users of the app who have a passkey, each once', async () => {
    const [ada, without] = [await acme.approver(), (await app.given.user(acme.app)).user_id];
    const wrong = [without, await other.approver(), newId('user'), ada];
    const expected = [1, 2, 3, 4].map((index) => `members[${index}].user_id`);
    expect(faults(await acme.createGroup([ada, ...wrong]))).toEqual([400, expected]);
    const id = await acme.group([ada]);
    expect(faults(await change(id, { members: namedIn([ada, ...wrong]) }))).toEqual([400, expected]);
  });

  it('has no users whose passkey is of a domain that the app has left', async () => {
    const ada = await acme.approver();
    await acme.manage('PATCH', '', { webauthn: { rp_id: 'example.org', origins: ['https://example.org'] } });
    expect(faults(await acme.createGroup([ada]))).toEqual([400, ['members[0].user_id']]);
  });

  it.each([
    [{ name: '' }, 'name'],
    [{ name: 'x'.repeat(257) }, 'name'],
    [{ name: 7 }, 'name'],
    [{ members: [] }, 'members'],
    [{ members: 'x' }, 'members'],
    [{ members: [7] }, 'members[0]'],
    [{ members: [{}] }, 'members[0].user_id'],
    [{ members: [{ user_id: 'x' }] }, 'members[0].user_id'],
    [{ members: Array(101).fill({ user_id: newId('user') }) }, 'members'],
  ])('is refused for %j', async (fields, field) => {
    const id = await acme.group([await acme.approver()]);
    const whole = { name: 'x', members: namedIn([await acme.approver()]) };
    const named = async (answer: Answer) =>
      ((await faults(answer)[1]) as string[]).some((each) => each.startsWith(field));
    expect(await named(await change(id, fields))).toBe(true);
    expect(await named(await acme.manage('POST', '/approver_groups', { ...whole, ...fields }))).toBe(true);
  });

  it('loses a user who is deleted', async () => {
    const [ada, alan] = [await acme.approver(), await acme.approver()];
    const groups = [await acme.group([ada, alan]), await acme.group([ada])];
    await acme.manage('DELETE', `/users/${ada}`);
    const members = await Promise.all(
      groups.map(async (id) => (await acme.manage('GET', `/approver_groups/${id}`)).body.members),
    );
    expect(members).toEqual([namedIn([alan]), []]);
  });

  it('does not get a user who is deleted at the same time', async () => {
    const [ada, alan] = [await acme.approver(), await acme.approver()];
    const id = await acme.group([alan]);
    await observer.together('approver_groups', [
      () => change(id, { members: namedIn([ada, alan]) }),
      () => acme.manage('DELETE', `/users/${ada}`),
    ]);
    expect((await acme.manage('GET', `/approver_groups/${id}`)).body.members).toEqual(namedIn([alan]));
  });

  it('that an active policy asks is neither deleted nor reduced below the approvals that it needs', async () => {
    const [ada, alan] = [await acme.approver(), await acme.approver()];
    const group = await acme.group([ada, alan]);
    const policy = await acme.version({ rules: [asking(group, 2)] });
    expect((await change(group, { members: namedIn([ada]) })).status).toBe(200);
    expect((await change(group, { members: namedIn([ada, alan]) })).status).toBe(200);
    await acme.activate(policy);
    expect(refusal(await remove(group))).toEqual([409, 'approver_group_in_use']);
    expect(refusal(await change(group, { members: namedIn([ada]) }))).toEqual([409, 'approver_group_too_small']);
    expect((await change(group, { name: 'Board' })).status).toBe(200);
    await acme.retire(policy);
    expect((await remove(group)).status).toBe(200);
  });

  it('is not deleted by a call that runs beside the activation of a policy that asks it', async () => {
    const group = await acme.group([await acme.approver()]);
    const policy = await acme.version({ rules: [asking(group)] });
    const [activated, deleted] = await observer.together('approver_groups', [
      () => acme.activate(policy),
      () => remove(group),
    ]);
    expect(new Set([activated!.status, deleted!.status])).toEqual(new Set([200, 409]));
  });

  it('is one of at most a hundred of its app', async () => {
    const ada = await acme.approver();
    const id = await acme.group([ada]);
    await observer.rows(
      `insert into approver_groups select app_id, 'agrp_' || lpad(i::text, 26, '0'), name, members, created_at, updated_at
         from approver_groups, generate_series(2, 100) i where app_id = $1 and id = $2`,
      [acme.app.id, id],
    );
    expect(refusal(await acme.createGroup([ada]))).toEqual([409, 'too_many_approver_groups']);
  });
});

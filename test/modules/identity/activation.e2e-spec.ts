import { DomainError } from '../../../src/kernel/domain-error.js';
import { newId } from '../../../src/kernel/ids.js';
import { DomainEvents } from '../../../src/kernel/domain-events.js';
import { UserDeleted } from '../../../src/modules/identity/index.js';
import { type Answer, startApp, type TestApp } from '../../support/app.js';
import type { GivenApp } from '../../support/given.js';
import { Observer } from '../../support/observer.js';

let service: TestApp;
let observer: Observer;
let app: GivenApp;
let stranger: GivenApp;
beforeAll(async () => {
  service = await startApp();
  observer = await Observer.of(service);
  app = await service.given.app({ default_wallet_type: 'none' });
  stranger = await service.given.app({ default_wallet_type: 'none' });
});
afterAll(async () => {
  await observer.close();
  await service.stop();
});

const change = (
  what: 'deactivate' | 'reactivate',
  userId: string,
  { id: appId } = { id: app.id },
  key = service.managementKey,
): Promise<Answer> => service.call('POST', `/management/v1/apps/${appId}/users/${userId}/${what}`, { key });
const get = (userId: string): Promise<Answer> =>
  service.call('GET', `/v1/auth/users/${userId}`, { key: app.secretKey });
const refusal = ({ status, body }: Answer): unknown => [status, body.error_type];

describe('deactivating a user', () => {
  it('shows at once, and leaves the status as it is', async () => {
    const { user_id: userId } = await service.given.user(app);
    const { status, body } = await change('deactivate', userId);
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({ user_id: userId, active: false, status: 'active' }),
    ]);
    expect((await get(userId)).body).toEqual(body);
    expect((await change('reactivate', userId)).body).toMatchObject({ active: true, status: 'active' });
  });

  it('does not make a pending user active by way of reactivation', async () => {
    const { user_id: userId } = await service.given.user(app, { requires_verification: true });
    await change('deactivate', userId);
    expect((await change('reactivate', userId)).body).toMatchObject({ active: false, status: 'pending' });
  });

  it('is published and audited once, however often it is requested', async () => {
    const { user_id: userId } = await service.given.user(app);
    for (const what of ['deactivate', 'deactivate', 'reactivate', 'reactivate'] as const) {
      expect((await change(what, userId)).status).toBe(200);
    }
    expect(await observer.events(app.id, userId)).toEqual(['user.created', 'user.deactivated', 'user.reactivated']);
    const { body } = await service.call('GET', `/management/v1/apps/${app.id}/audit_log`, {
      key: service.managementKey,
    });
    const actions = body.entries.filter((entry: { target_id: string }) => entry.target_id === userId);
    expect(actions.map(({ action }: { action: string }) => action).toSorted()).toEqual([
      'user.deactivated',
      'user.reactivated',
    ]);
  });

  it("finds neither another app's user, nor a deleted one, nor an unknown app", async () => {
    const { user_id: userId } = await service.given.user(app);
    expect(refusal(await change('deactivate', userId, stranger))).toEqual([404, 'user_not_found']);
    expect(refusal(await change('deactivate', newId('user')))).toEqual([404, 'user_not_found']);
    expect(refusal(await change('deactivate', 'user_1'))).toEqual([404, 'user_not_found']);
    expect(refusal(await change('deactivate', userId, { id: newId('app') }))).toEqual([404, 'app_not_found']);
    expect((await get(userId)).body.active).toBe(true);
    await service.call('DELETE', `/v1/auth/users/${userId}/delete`, { key: app.secretKey });
    expect(refusal(await change('deactivate', userId))).toEqual([404, 'user_not_found']);
  });

  it("is refused to the app's own keys", async () => {
    const { user_id: userId } = await service.given.user(app);
    expect(refusal(await change('deactivate', userId, app, app.secretKey))).toEqual([403, 'wrong_key_kind']);
    expect((await get(userId)).body.active).toBe(true);
  });
});

describe('a module that cannot let a user go', () => {
  it('keeps them whole', async () => {
    class Busy extends DomainError {
      static override readonly code = 'user_not_found';
      static override readonly kind = 'not_found';
      static override readonly help = 'Stands for the conflict a later module answers with.';
    }
    const { user_id: userId } = await service.given.user(app, { first_name: 'Ann' });
    const before = await get(userId);
    service.nest.get(DomainEvents).subscribe(UserDeleted, async (event) => {
      if (event.userId === userId) throw new Busy('The user is busy.');
    });
    const answer = await service.call('DELETE', `/v1/auth/users/${userId}/delete`, { key: app.secretKey });
    expect(answer.body.detail).toBe('The user is busy.');
    expect((await get(userId)).body).toEqual(before.body);
    expect(await observer.events(app.id, userId)).toEqual(['user.created']);
  });
});

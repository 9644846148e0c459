import { startApp, type TestApp } from '../../support/app.js';
import { patiently } from '../../support/eventually.js';
import type { GivenApp } from '../../support/given.js';
import { Observer } from '../../support/observer.js';

let service: TestApp;
let observer: Observer;
let app: GivenApp;
let userId: string;
beforeAll(async () => {
  service = await startApp({ env: { ROLE: 'api' } });
  observer = await Observer.of(service);
});
afterAll(async () => {
  await observer?.close();
  await service?.stop();
});
beforeEach(async () => {
  app = await service.given.app();
  userId = (await service.given.user(app)).user_id;
});

const post = (path: string, body?: object) =>
  patiently(() => service.call('POST', `/v1/gift_cards${path}`, { key: app.secretKey, ...(body && { body }) }));
const create = (name = 'First') => post('', { user_id: userId, name });
const list = (query: Record<string, string> = {}) => service.ok('GET', '/v1/gift_cards', { key: app.secretKey, query });
const ofApp = () => `/management/v1/apps/${app.id}`;
const limitTo = (most_per_user: number) =>
  service.ok('PATCH', ofApp(), { key: service.managementKey, body: { gift_card_settings: { most_per_user } } });

describe('a gift card', () => {
  it('is created with its event, and read', async () => {
    const { body: created } = await create();
    expect(created).toMatchObject({ id: expect.stringMatching(/^giftcard_/), user_id: userId, state: 'open' });
    expect(await service.ok('GET', `/v1/gift_cards/${created.id}`, { key: app.secretKey })).toEqual(created);
    expect(await observer.events(app.id)).toContain('gift_card.created');
  });

  it('needs a name', async () => {
    const { status, body } = await create('');
    expect([status, body.errors[0].field]).toEqual([400, 'name']);
    expect(await list()).toEqual({ gift_cards: [], has_more: false });
  });

  it('is listed page by page, the newest first, for the app and for operators', async () => {
    for (const name of ['First', 'Second', 'Third']) await create(name);
    const first = await list({ limit: '2' });
    const rest = await list({ limit: '2', starting_after: first.gift_cards[1].id });
    const names = (page: typeof first): string[] => page.gift_cards.map(({ name }: { name: string }) => name);
    expect([names(first), first.has_more]).toEqual([['Third', 'Second'], true]);
    expect([names(rest), rest.has_more]).toEqual([['First'], false]);
    const managed = await service.ok('GET', `${ofApp()}/gift_cards`, { key: service.managementKey });
    expect(names(managed)).toEqual(['Third', 'Second', 'First']);
  });

  it('is redeemed once, also by two calls at a time', async () => {
    const { id } = (await create()).body;
    const redeem = () => post(`/${id}/redeem`);
    const answers = await observer.together('gift_cards', [redeem, redeem]);
    expect(answers.map(({ status }) => `${status}`).toSorted()).toEqual(['200', '409']);
    expect(answers.find(({ status }) => status === 409)!.body.error_type).toBe('gift_card_redeemed');
    const events = (await observer.events(app.id)).filter((type) => type === 'gift_card.redeemed');
    expect(events).toHaveLength(1);
    expect((await list()).gift_cards[0]).toMatchObject({ state: 'redeemed' });
  });

  it('is counted by the limit of the app, also by two calls at a time', async () => {
    await limitTo(1);
    const answers = await observer.together('users', [() => create('First'), () => create('Second')]);
    expect(answers.map(({ status }) => `${status}`).toSorted()).toEqual(['200', '409']);
    expect((await create('Third')).body).toMatchObject({ error_type: 'too_many_gift_cards' });
    expect((await list()).gift_cards).toHaveLength(1);
  });

  it('ends with its user', async () => {
    await create();
    await patiently(() => service.call('DELETE', `/v1/auth/users/${userId}/delete`, { key: app.secretKey }));
    expect(await list()).toEqual({ gift_cards: [], has_more: false });
    expect((await create()).body).toMatchObject({ error_type: 'user_not_found' });
  });

  it('is not created for an app that is deleted meanwhile', async () => {
    await observer.rows('begin');
    await observer.rows('select from apps where id = $1 for update', [app.id]);
    await observer.rows('update apps set deleted_at = now() where id = $1', [app.id]);
    let isOver = false;
    const creation = create().finally(() => (isOver = true));
    await observer.untilWaiting('apps', () => (isOver ? 0 : 1), 2);
    await observer.rows('commit');
    expect(await creation).toMatchObject({ status: 404, body: { error_type: 'app_not_found' } });
    expect(await observer.rows('select from gift_cards where app_id = $1', [app.id])).toEqual([]);
  });
});

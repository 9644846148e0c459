import { startApp, type TestApp } from '../../support/app.js';
import { patiently } from '../../support/eventually.js';
import type { GivenApp } from '../../support/given.js';
import { Observer } from '../../support/observer.js';

/** The service ends statements that wait for a lock for longer than 4 s. */
const LONGEST_HOLD_SECONDS = 2;

let service: TestApp;
let observer: Observer;
let app: GivenApp;
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
});

const create = (name: string) =>
  patiently(() => service.call('POST', '/v1/gift_cards', { key: app.secretKey, body: { name } }));
const list = (query: Record<string, string> = {}) =>
  service.call('GET', '/v1/gift_cards', { key: app.secretKey, query });

describe('a gift card', () => {
  it('is created with its event, and read', async () => {
    const { body: created } = await create('First');
    expect(created).toMatchObject({ id: expect.stringMatching(/^giftcard_/), name: 'First' });
    const read = await service.call('GET', `/v1/gift_cards/${created.id}`, { key: app.secretKey });
    expect([read.status, read.body]).toEqual([200, created]);
    expect(await observer.events(app.id)).toContain('gift_card.created');
  });

  it('needs a name', async () => {
    const { status, body } = await create('');
    expect([status, body.errors[0].field]).toEqual([400, 'name']);
    expect((await list()).body).toEqual({ gift_cards: [], has_more: false });
  });

  it('is listed page by page, the newest first', async () => {
    for (const name of ['First', 'Second', 'Third']) await create(name);
    const { body: first } = await list({ limit: '2' });
    const { body: rest } = await list({ limit: '2', starting_after: first.gift_cards[1].id });
    const names = (page: typeof first): string[] => page.gift_cards.map(({ name }: { name: string }) => name);
    expect([names(first), first.has_more]).toEqual([['Third', 'Second'], true]);
    expect([names(rest), rest.has_more]).toEqual([['First'], false]);
  });

  it('is not created for an app that is deleted meanwhile', async () => {
    await observer.rows('begin');
    await observer.rows('select from apps where id = $1 for update', [app.id]);
    await observer.rows('update apps set deleted_at = now() where id = $1', [app.id]);
    let isOver = false;
    const creation = create('First').finally(() => (isOver = true));
    await observer.untilWaiting('apps', () => (isOver ? 0 : 1), LONGEST_HOLD_SECONDS);
    await observer.rows('commit');
    expect(await creation).toMatchObject({ status: 404, body: { error_type: 'app_not_found' } });
    expect(await observer.rows('select from gift_cards where app_id = $1', [app.id])).toEqual([]);
  });
});

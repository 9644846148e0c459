import { type AppId, newId } from '../../../src/kernel/ids.js';
import { ManageEndpoints } from '../../../src/modules/webhooks/application/manage-endpoints.js';
import { WebhookEndpointRepository } from '../../../src/modules/webhooks/domain/webhook-endpoint.repository.js';
import { startApp, type TestApp } from '../../support/app.js';
import { WebhookEngine } from './webhook-engine.js';
import { startReceiver, type Receiver } from './webhook-receiver.js';
import { storeEndpoint } from './webhook-rows.js';

let service: TestApp;
let engine: WebhookEngine;
let receiver: Receiver;
let appId: AppId;

beforeAll(async () => {
  // The service has no worker: the tests carry out its steps.
  service = await startApp({ env: { ROLE: 'api' } });
  engine = new WebhookEngine(service.nest);
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver?.stop();
  await service?.stop();
});
beforeEach(async () => {
  appId = (await service.given.app()).id as AppId;
  await engine.sequence();
});

const revoked = (userId: string) => ({
  type: 'session.revoked',
  data: { session_id: newId('session'), user_id: userId },
});

describe('a delivery', () => {
  it('is not made for an endpoint that is disabled, and waits while its endpoint is disabled', async () => {
    const { endpoint } = await storeEndpoint(service.nest, appId, { url: receiver.url });
    await engine.happen(appId, revoked(newId('user')));
    await service.nest.get(ManageEndpoints).disable(appId, endpoint.id, 'by_app');
    await engine.happen(appId, revoked(newId('user')));
    expect(await engine.deliver()).toBe(0);
    expect(await engine.rows(endpoint)).toMatchObject([{ status: 'pending', tries: 0 }]);
    const endpoints = service.nest.get(WebhookEndpointRepository);
    await endpoints.update((await endpoints.get(appId, endpoint.id)).enable(new Date()));
    expect(await engine.deliver()).toBe(1);
  });
});

describe('an ordered endpoint', () => {
  it('delivers the events of a user one after the other, and those of other users meanwhile', async () => {
    const { endpoint } = await storeEndpoint(service.nest, appId, { url: receiver.url, isOrdered: true });
    const [ann, bob] = [newId('user'), newId('user')];
    await engine.happen(appId, revoked(ann), revoked(ann), revoked(bob), revoked(ann), revoked(bob));
    const sent = async () => {
      receiver.requests.length = 0;
      await engine.deliver();
      return receiver.requests
        .map(({ body }) => JSON.parse(body) as { position: number; data: { user_id: string } })
        .map(({ position, data }) => `${data.user_id} ${position}`)
        .toSorted();
    };
    const [row] = await engine.rows(endpoint);
    const first = row!.position;
    expect(await sent()).toEqual([`${ann} ${first}`, `${bob} ${first + 2}`].toSorted());
    expect(await sent()).toEqual([`${ann} ${first + 1}`, `${bob} ${first + 4}`].toSorted());
    expect(await sent()).toEqual([`${ann} ${first + 3}`]);
  });
});

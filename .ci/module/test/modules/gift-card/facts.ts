import type { TestApp } from '../../support/app.js';
import type { GivenApp } from '../../support/given.js';
import type { ModuleFacts } from '../../support/module-facts.js';

async function giftCardOf(service: TestApp, app: GivenApp, user_id: string): Promise<string> {
  const body = { user_id, name: 'First' };
  return (await service.ok('POST', '/v1/gift_cards', { key: app.secretKey, body })).id;
}

export const facts: ModuleFacts = {
  ids: async (service, app, userId) => ({ giftcard_id: await giftCardOf(service, app, userId) }),
  bodies: { 'POST /v1/gift_cards': ({ user_id }) => ({ user_id, name: 'First' }) },
  calls: {
    'POST /v1/gift_cards': async (service, app) => ({
      body: { user_id: (await service.given.user(app)).user_id, name: 'First' },
    }),
    'POST /v1/gift_cards/{giftcard_id}/redeem': async (service, app) => ({
      path: `/v1/gift_cards/${await giftCardOf(service, app, (await service.given.user(app)).user_id)}/redeem`,
    }),
  },
  withoutMac: { gift_cards: 'It grants nothing.' },
};

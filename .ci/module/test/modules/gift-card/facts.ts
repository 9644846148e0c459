import type { TestApp } from '../../support/app.js';
import type { GivenApp } from '../../support/given.js';
import type { ModuleFacts } from '../../support/module-facts.js';

export const facts: ModuleFacts = {
  ids: async (service: TestApp, app: GivenApp) => {
    const { body } = await service.call('POST', '/v1/gift_cards', { key: app.secretKey, body: { name: 'First' } });
    return { giftcard_id: body.id };
  },
  bodies: { 'POST /v1/gift_cards': null },
  calls: { 'POST /v1/gift_cards': () => ({ body: { name: 'First' } }) },
};

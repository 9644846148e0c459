import { eventually } from '../../support/eventually.js';
import type { ModuleFacts } from '../../support/module-facts.js';

export const facts: ModuleFacts = {
  ids: async (service, app) => {
    const [event] = await eventually(async () => {
      const feed = await service.call('GET', '/v1/events', { key: app.secretKey });
      expect(feed.body.events).not.toEqual([]);
      return feed.body.events as { readonly id: string }[];
    });
    return { event_id: event!.id };
  },
};

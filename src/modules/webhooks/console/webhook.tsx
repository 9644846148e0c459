import { lazily } from '../../../console/lazy.js';
import type { ConsolePage } from '../../../console/page.js';

export const page: ConsolePage = {
  path: 'webhooks/:id',
  view: lazily(async () => (await import('./views/webhook.js')).WebhookPage),
};

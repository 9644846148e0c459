import { lazily } from '../../../console/lazy.js';
import type { ConsolePage } from '../../../console/page.js';

export const page: ConsolePage = {
  path: 'users/:id',
  view: lazily(async () => (await import('./views/user.js')).UserPage),
};

import { lazily } from '../../../console/lazy.js';
import type { ConsolePage } from '../../../console/page.js';
import texts from './texts.json';

export const page: readonly ConsolePage[] = [
  {
    path: 'oauth-clients',
    title: texts.clients,
    group: 'build',
    icon: 'clients',
    after: 'connections',
    view: lazily(async () => (await import('./views/clients.js')).ClientsPage),
  },
  {
    path: 'resources',
    title: texts.resources,
    group: 'build',
    icon: 'resources',
    after: 'oauth-clients',
    view: lazily(async () => (await import('./views/resources.js')).ResourcesPage),
  },
];

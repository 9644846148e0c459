import { lazily } from '../../../console/lazy.js';
import type { ConsolePage } from '../../../console/page.js';
import texts from './texts.json';

const t = texts.titles;

/** The views and their texts load when they are opened, to keep the console small. */
export const page: readonly ConsolePage[] = [
  {
    path: 'keys',
    title: t.keys,
    group: 'build',
    icon: 'keys',
    after: 'messages',
    view: lazily(async () => (await import('./views/keys.js')).KeysPage),
  },
  {
    path: 'redirect-urls',
    title: t.redirects,
    group: 'build',
    icon: 'redirects',
    after: 'keys',
    view: lazily(async () => (await import('./views/redirect-urls.js')).RedirectUrlsPage),
  },
  {
    path: 'connections',
    title: t.connections,
    group: 'build',
    icon: 'connections',
    after: 'redirect-urls',
    view: lazily(async () => (await import('./views/connections.js')).ConnectionsPage),
  },
  {
    path: 'connections/:id',
    view: lazily(async () => (await import('./views/connection.js')).ConnectionPage),
  },
  {
    path: 'templates',
    title: t.templates,
    group: 'build',
    icon: 'templates',
    after: 'connections',
    view: lazily(async () => (await import('./views/templates.js')).TemplatesPage),
  },
  {
    path: 'settings',
    title: t.settings,
    group: 'build',
    icon: 'settings',
    after: 'templates',
    view: lazily(async () => (await import('./views/settings.js')).SettingsPage),
  },
  {
    path: 'key-storage',
    title: t.keyStorage,
    isOfService: true,
    view: lazily(async () => (await import('./views/key-storage.js')).KeyStoragePage),
  },
];

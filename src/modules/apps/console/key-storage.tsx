import { lazily } from '../../../console/lazy.js';
import type { ConsolePage } from '../../../console/page.js';
import texts from './texts.json';

export const page: ConsolePage = {
  path: 'key-storage',
  title: texts.keyStorage,
  isOfService: true,
  view: lazily(async () => (await import('./views/key-storage.js')).KeyStoragePage),
};

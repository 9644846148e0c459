import { lazily } from '../../../console/lazy.js';
import type { ConsolePage } from '../../../console/page.js';
import texts from './texts.json';

export const page: ConsolePage = {
  path: 'templates',
  title: texts.templates.title,
  group: 'build',
  icon: 'templates',
  after: 'connections',
  view: lazily(async () => (await import('./views/templates.js')).TemplatesPage),
};

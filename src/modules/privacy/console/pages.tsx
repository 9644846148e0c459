import { lazily } from '../../../console/lazy.js';
import type { ConsolePage } from '../../../console/page.js';

export const page: readonly ConsolePage[] = [
  { path: 'erasures/:id', view: lazily(async () => (await import('./views/erasure.js')).ErasurePage) },
];

import type { ConsolePage } from './page.js';
import { OverviewPage } from './pages/overview.js';
import { text } from './text.js';

type Found = ConsolePage | readonly ConsolePage[] | undefined;
const found = import.meta.glob<Found>('../modules/*/console/*.tsx', { eager: true, import: 'page' });
const all = Object.values(found)
  .flat()
  .filter((page) => page !== undefined);
const ofApps = all.filter(({ isOfService }) => !isOfService);
const overview: ConsolePage = { path: '', view: OverviewPage, title: text.overview.title, icon: 'overview' };
const placed = withFollowers(overview);

export const SERVICE_PAGES = all.filter(({ isOfService }) => isOfService);
/** Pages without a place come last. */
export const APP_PAGES = [...placed, ...ofApps.filter((page) => !placed.includes(page))];

function withFollowers(page: ConsolePage): ConsolePage[] {
  return [page, ...ofApps.filter(({ after }) => after === page.path).flatMap(withFollowers)];
}

export function pageAt(pages: readonly ConsolePage[], path: string): ConsolePage | undefined {
  const [name, id] = path.split('/');
  const at = (wanted: string | undefined) => pages.find((page) => page.path === wanted);
  return at(path) ?? at(id ? `${name}/:id` : name);
}

import type { Database } from './database.js';

/** A batch of 1,000 rows takes at least ten rows of each app. */
const APPS_AT_ONCE = 100;
const APPS = `select app_id as "appId" from apps_in($1, $2, ${APPS_AT_ONCE}) as app_id`;

/** The ids are in order; `after` is '' when there are no more. */
export interface AppsInTable {
  readonly appIds: readonly string[];
  readonly after: string;
}

/** Takes no lock: Citus locks rows only where a statement names the app. An index that begins with app_id must serve `rows`. */
export async function appsIn(database: Database, rows: string, after: string): Promise<AppsInTable> {
  const appIds = (await database.list<{ appId: string }>(APPS, [rows, after])).map(({ appId }) => appId);
  return { appIds, after: appIds.length === APPS_AT_ONCE ? appIds.at(-1)! : '' };
}

/** The first page has the app '', which stands for rows of no app. */
export async function* allAppsIn(database: Database, table: string): AsyncGenerator<readonly string[]> {
  for (let after = ''; ;) {
    const page = await appsIn(database, `${table} where true`, after);
    yield after === '' ? ['', ...page.appIds] : page.appIds;
    ({ after } = page);
    if (after === '') return;
  }
}

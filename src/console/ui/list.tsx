import type { ComponentChildren } from 'preact';
import { pagesOf, type Slice } from '../files.js';
import { useKept, useKeptScroll } from '../history.js';
import { useLoad } from '../load.js';
import { fill, text } from '../text.js';
import { Export } from './export.js';
import { type FilterField, useFilters } from './filter.js';
import { Await, Page } from './states.js';
import { type Column, Table } from './table.js';

interface ListProps<Name extends string, Data, Row> {
  readonly text: { readonly title: string; readonly empty: string; readonly noneFound?: string };
  readonly filters?: readonly FilterField<Name>[];
  /** The service refuses a value of a filter that it does not know. */
  readonly load: (query: Slice & Readonly<Partial<Record<Name, never>>>) => Promise<Data>;
  readonly rows: (data: Data) => readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly keyOf?: (row: Row) => string;
  /** A row that changes by itself: the list then loads every few seconds. */
  readonly isPending?: (row: Row) => boolean;
  /** The list also depends on it. */
  readonly search?: string;
}

/** The entry of the history keeps the cursors of the earlier pages. */
export function List<Name extends string, Data extends { has_more: boolean }, Row>({
  text: t,
  filters = [],
  load,
  rows: rowsOf,
  columns,
  keyOf = (row) => (row as { id: string }).id,
  isPending,
  search = '',
}: ListProps<Name, Data, Row>) {
  const { values, form } = useFilters(filters);
  const isFiltered = search !== '' || Object.values(values).some((value) => value !== undefined);
  const { kept, keep } = useKept();
  const { cursors = [] } = kept;
  const goTo = (next: readonly string[]): void => keep({ cursors: next, scrolled: undefined });
  const filtered = (slice: Slice) => load({ ...slice, ...(values as Record<Name, never>) });
  const key = JSON.stringify([search, values, cursors]);
  const loaded = useLoad(
    async () => ({ key, page: await filtered({ limit: 25, starting_after: cursors.at(-1) }) }),
    [key],
    ({ page }) => isPending !== undefined && rowsOf(page).some(isPending),
  );
  useKeptScroll(loaded.data?.key);
  const pager = (page: Data) => (
    <nav class="pager" aria-label={fill(text.pager.label, { caption: t.title })}>
      <button type="button" disabled={cursors.length === 0} onClick={() => goTo(cursors.slice(0, -1))}>
        {text.pager.previous}
      </button>
      <span role="status">{fill(text.pager.page, { page: cursors.length + 1 })}</span>
      <button
        type="button"
        disabled={!page.has_more || loaded.isLoading}
        onClick={() => goTo([...cursors, keyOf(rowsOf(page).at(-1)!)])}
      >
        {text.pager.next}
      </button>
    </nav>
  );
  return (
    <>
      {form}
      <Await loaded={loaded}>
        {({ page }) => (
          <>
            <Table
              caption={t.title}
              columns={columns}
              rows={rowsOf(page)}
              keyOf={keyOf}
              empty={(isFiltered && t.noneFound) || t.empty}
            />
            <div class="list-foot">
              {rowsOf(page).length > 0 && (
                <Export
                  title={t.title}
                  columns={columns}
                  keyOf={keyOf}
                  pages={() => pagesOf(filtered, rowsOf, keyOf)}
                />
              )}
              {(page.has_more || cursors.length > 0) && pager(page)}
            </div>
          </>
        )}
      </Await>
    </>
  );
}

export function ListPage<Name extends string, Data extends { has_more: boolean }, Row>({
  actions,
  children,
  ...list
}: ListProps<Name, Data, Row> & {
  readonly text: { readonly intro: string };
  readonly actions?: ComponentChildren;
  readonly children?: ComponentChildren;
}) {
  return (
    <Page title={list.text.title} intro={list.text.intro} actions={actions}>
      {children}
      <List {...list} />
    </Page>
  );
}

import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useLoad } from '../load.js';
import { fill, text } from '../text.js';
import { Await } from './states.js';

export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** The column that names the row. */
  readonly isName?: boolean;
}

/** The roles are those of a table. They are written out because small screens show rows as blocks, which removes them. */
export function Table<Row>({
  caption,
  columns,
  rows,
  keyOf,
  empty,
}: {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** What identifies a row. An open dialog stays with its row when the list changes, and closes when the row is gone. */
  keyOf: (row: Row) => string;
  empty: string;
}) {
  if (rows.length === 0) return <p class="empty">{empty}</p>;
  return (
    <table role="table">
      <caption class="unseen">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ head }) => (
            <th key={head} role="columnheader" scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr key={keyOf(row)} role="row">
            {columns.map(({ head, cell, isName }) =>
              isName ? (
                <th key={head} role="rowheader" scope="row" data-head={head}>
                  <div>{cell(row)}</div>
                </th>
              ) : (
                <td key={head} role="cell" data-head={head}>
                  <div>{cell(row)}</div>
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The part of a list that a page shows, as the API is asked for it. */
export interface Slice {
  readonly limit: number;
  readonly starting_after: string | undefined;
}

export interface PageOf<Row> {
  readonly rows: readonly Row[];
  readonly hasMore: boolean;
}

/** A list of the API, a page at a time. Going back needs the cursors of the pages before, which are kept. */
export function List<Row>({
  caption,
  columns,
  load,
  cursorOf,
  inputs,
  empty,
}: {
  caption: string;
  columns: readonly Column<Row>[];
  load: (slice: Slice) => Promise<PageOf<Row>>;
  cursorOf: (row: Row) => string;
  /** What the list depends on, such as its filters. Another value leads back to the first page. */
  inputs: readonly unknown[];
  empty: string;
}) {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  useEffect(() => setCursors([]), [...inputs]);
  const loaded = useLoad(() => load({ limit: 25, starting_after: cursors.at(-1) }), [...inputs, cursors.at(-1)]);
  return (
    <Await loaded={loaded}>
      {({ rows, hasMore }) => (
        <>
          <Table caption={caption} columns={columns} rows={rows} keyOf={cursorOf} empty={empty} />
          {(hasMore || cursors.length > 0) && (
            <nav class="pager" aria-label={fill(text.pager.label, { caption })}>
              <button type="button" disabled={cursors.length === 0} onClick={() => setCursors(cursors.slice(0, -1))}>
                {text.pager.previous}
              </button>
              <span role="status">{fill(text.pager.page, { page: cursors.length + 1 })}</span>
              <button
                type="button"
                disabled={!hasMore || loaded.isLoading}
                onClick={() => setCursors([...cursors, cursorOf(rows.at(-1)!)])}
              >
                {text.pager.next}
              </button>
            </nav>
          )}
        </>
      )}
    </Await>
  );
}

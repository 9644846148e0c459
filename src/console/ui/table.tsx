import type { ComponentChildren } from 'preact';
import { isoTime, text } from '../text.js';
import { Line, State, Time } from './states.js';

export interface Column<Row> {
  readonly head: string;
  readonly value?: (row: Row) => string | number;
  readonly href?: (row: Row) => string;
  /** The text is a state of the API, or a name that programs use. */
  readonly as?: 'state' | 'code';
  /** Epoch seconds, in place of `value`; 0 where there is none. */
  readonly time?: (row: Row) => number;
  /** It replaces the value or time. CSV files leave out a column that has neither. */
  readonly cell?: (row: Row) => ComponentChildren;
  readonly isName?: boolean;
  /** A CSV file has it, and the page does not. */
  readonly isOnlyInFile?: boolean;
}

/** The roles are written out because small screens show rows as blocks, which removes them. */
export function Table<Row>({
  caption,
  columns: all,
  rows,
  keyOf = (row) => (row as { id: string }).id,
  empty = text.none,
}: {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** An open dialog stays with its row when the list changes, and closes when the row is gone. */
  keyOf?: (row: Row) => string;
  empty?: string;
}) {
  if (rows.length === 0) return <p class="empty">{empty}</p>;
  const columns = all.filter(({ isOnlyInFile }) => !isOnlyInFile);
  const classOf = ({ head, value, cell }: Column<Row>): string | undefined =>
    head === text.actions ? 'do' : !cell && typeof value?.(rows[0]!) === 'number' ? 'number' : undefined;
  return (
    <div class="scroll" role="region" aria-label={caption} tabIndex={0}>
      <table role="table">
        <caption class="unseen">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <th key={column.head} class={classOf(column)} role="columnheader" scope="col">
                {column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={keyOf(row)} role="row">
              {columns.map((column) => {
                const { head, isName } = column;
                const Cell = isName ? 'th' : 'td';
                return (
                  <Cell
                    key={head}
                    class={classOf(column)}
                    role={isName ? 'rowheader' : 'cell'}
                    scope={isName ? 'row' : undefined}
                    data-head={head}
                  >
                    <div>{contentOf(column, row)}</div>
                  </Cell>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function contentOf<Row>({ value, href, as, time, cell = value }: Column<Row>, row: Row): ComponentChildren {
  if (time && !cell) return <Time at={time(row)} />;
  const content = cell?.(row);
  if (content === '') return null;
  if (typeof content !== 'string') return content;
  if (as === 'state') return <State of={content} />;
  return as === 'code' ? <code class="name">{content}</code> : <Line of={content} href={href?.(row)} />;
}

/** Undefined if the file leaves the column out. */
export function fileValueOf<Row>({ value, time }: Column<Row>): ((row: Row) => string | number) | undefined {
  return time ? (row) => isoTime(time(row)) : value;
}

export const CREATED: Column<{ readonly created_at: number }> = {
  head: text.created,
  time: ({ created_at: at }) => at,
};

import type { components } from '../../../openapi/client/src/index.js';
import type { Slice } from '../files.js';
import { phraseOf, text } from '../text.js';
import { failureIn } from './failures.js';
import type { Column } from './table.js';

const t = text.event;

export const TYPES = { name: 'types', label: t.types } as const;

export type EventsQuery = Slice & { readonly types?: string };

export const withTypes = ({ types, ...slice }: EventsQuery) => ({
  ...slice,
  types: types
    ?.split(/[\s,]+/)
    .filter(Boolean)
    .join(),
});

export const EVENT_COLUMNS: readonly Column<components['schemas']['EventResponse']>[] = [
  { head: text.time, time: (row) => row.created_at },
  {
    head: t.name,
    isName: true,
    value: ({ type }) => type,
    cell: ({ type }) => (
      <>
        {phraseOf(type)} <code class="name faint">{type}</code>
      </>
    ),
  },
  {
    head: t.data,
    value: ({ data }) => JSON.stringify(data),
    cell: (row) => (
      <>
        {failureIn(row)}
        <details>
          <summary>{t.showData}</summary>
          <pre>{JSON.stringify(row.data, null, 2)}</pre>
        </details>
      </>
    ),
  },
];

import { fill, nameOf, text, when } from '../text.js';
import { Table } from './table.js';

export interface Series {
  readonly label: string;
  /** One value for each step of the chart. */
  readonly values: readonly number[];
}

const WIDTH = 480;
const HEIGHT = 120;
const GAP = 2;
/** As many as the style sheet has; the states of a transfer need all. */
const COLOURS = 8;

/** Stacked bars over time, and the same numbers as a table. The picture is hidden from screen readers, which have the table. */
export function Chart({
  title,
  steps,
  series,
}: {
  title: string;
  steps: readonly number[];
  series: readonly Series[];
}) {
  const totals = steps.map((_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0));
  const total = totals.reduce((sum, value) => sum + value, 0);
  const highest = Math.max(1, ...totals);
  const bar = WIDTH / Math.max(1, steps.length);
  return (
    <section class="card chart">
      <h2>
        {title} <span class="faint">{total}</span>
      </h2>
      {total === 0 ? (
        <p class="empty">{text.overview.nothing}</p>
      ) : (
        <>
          <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true" preserveAspectRatio="none">
            {steps.map((step, index) => {
              let top = HEIGHT;
              return series.map(({ label, values }, place) => {
                const height = ((values[index] ?? 0) / highest) * (HEIGHT - GAP);
                top -= height;
                return (
                  height > 0 && (
                    <rect
                      key={`${step}-${label}`}
                      class={`series-${place % COLOURS}`}
                      x={index * bar + GAP / 2}
                      y={top}
                      width={Math.max(1, bar - GAP)}
                      height={height}
                    />
                  )
                );
              });
            })}
          </svg>
          <p class="axis faint" aria-hidden="true">
            <span>{when(steps[0]!)}</span>
            <span>{fill(text.overview.highest, { value: highest })}</span>
            <span>{when(steps.at(-1)!)}</span>
          </p>
          <ul class="legend">
            {series.map(({ label, values }, place) => (
              <li key={label}>
                <svg viewBox="0 0 10 10" aria-hidden="true">
                  <rect class={`series-${place % COLOURS}`} width="10" height="10" />
                </svg>
                {nameOf(label)}: {values.reduce((sum, value) => sum + value, 0)}
              </li>
            ))}
          </ul>
          <details>
            <summary>{fill(text.overview.asTable, { title })}</summary>
            <Table
              caption={title}
              empty={text.overview.nothing}
              keyOf={({ step }) => String(step)}
              rows={steps.map((step, index) => ({ step, index })).filter(({ index }) => totals[index]! > 0)}
              columns={[
                { head: text.overview.begin, isName: true, cell: ({ step }) => when(step) },
                ...series.map(({ label, values }) => ({
                  head: nameOf(label),
                  cell: ({ index }: { index: number }) => values[index] ?? 0,
                })),
              ]}
            />
          </details>
        </>
      )}
    </section>
  );
}

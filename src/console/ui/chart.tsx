import { useEffect, useRef, useState } from 'preact/hooks';
import 'uplot/dist/uPlot.min.css';
import { fill, nameOf, text, when } from '../text.js';
import type { Series } from './plot.js';
import { Table } from './table.js';

/** The style sheet has this number of colours. */
const COLOURS = 8;

/** Only the overview has charts, so their library loads later. Without it the numbers stay. */
function usePlot() {
  const [found, setFound] = useState<{ readonly Plot: (typeof import('./plot.js'))['Plot'] }>();
  useEffect(() => void import('./plot.js').then(setFound, () => {}), []);
  return found?.Plot;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** The picture is hidden from screen readers, which have the table. */
export function Chart({
  title,
  steps,
  series,
  before,
}: {
  title: string;
  steps: readonly number[];
  series: readonly Series[];
  before: readonly number[];
}) {
  const card = useRef<HTMLElement>(null);
  const Plot = usePlot();
  const [hovered, setHovered] = useState<number | null>(null);
  const totals = steps.map((_, index) => sum(series.map(({ values }) => values[index]!)));
  const shown = (values: readonly number[]): number => (hovered === null ? sum(values) : values[hovered]!);
  const isEmpty = sum(totals) === 0 && sum(before) === 0;
  const colours = () => ({
    ink: getComputedStyle(card.current!.querySelector('.faint')!).color,
    fills: [...card.current!.querySelectorAll('.legend rect')].map((swatch) => getComputedStyle(swatch).fill),
  });
  return (
    <section class="card chart" ref={card}>
      <h2>{title}</h2>
      {isEmpty ? (
        <p class="empty">{text.overview.nothing}</p>
      ) : (
        <>
          <p class="faint">
            {fill(hovered === null ? text.overview.total : text.overview.totalAt, {
              total: shown(totals),
              before: shown(before),
              at: when(steps[hovered ?? 0]!),
            })}
          </p>
          {Plot && <Plot steps={steps} series={series} before={before} colours={colours} hover={setHovered} />}
          <ul class="legend">
            {series.map(({ label, values }, place) => (
              <li key={label}>
                <svg viewBox="0 0 10 10" aria-hidden="true">
                  <rect class={`series-${place % COLOURS}`} width="10" height="10" />
                </svg>
                {nameOf(label)}: {shown(values)}
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

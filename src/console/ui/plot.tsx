import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';

export interface Series {
  readonly label: string;
  readonly values: readonly number[];
}

const HEIGHT = 180;
const DARK = matchMedia('(prefers-color-scheme: dark)');

export function Plot({
  steps,
  series,
  before,
  colours,
  hover,
}: {
  readonly steps: readonly number[];
  readonly series: readonly Series[];
  readonly before: readonly number[];
  /** The colours that the page shows now. */
  readonly colours: () => { readonly ink: string; readonly fills: readonly string[] };
  readonly hover: (step: number | null) => void;
}) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current!;
    let plot: uPlot | undefined;
    const draw = (): void => {
      plot?.destroy();
      const { ink, fills } = colours();
      const axis: uPlot.Axis = {
        stroke: ink,
        font: `12px ${getComputedStyle(element).fontFamily}`,
        grid: { stroke: `color-mix(in srgb, ${ink} 25%, transparent)`, width: 1 },
        ticks: { show: false },
      };
      // The highest bar of a stack is drawn first, so that the lower ones are in front of it.
      const stacked = series.map((_, place) =>
        steps.map((_step, index) => series.slice(0, place + 1).reduce((sum, { values }) => sum + values[index]!, 0)),
      );
      const bars = uPlot.paths.bars!({ size: [0.9, 40], align: 1 });
      plot = new uPlot(
        {
          width: element.clientWidth,
          height: HEIGHT,
          legend: { show: false },
          cursor: { drag: { x: false, y: false }, points: { show: false }, y: false },
          hooks: { setCursor: [({ cursor }) => hover(cursor.idx ?? null)] },
          scales: {
            // A bar stands behind the begin of its step, the last one too.
            x: { range: [steps[0]!, steps.at(-1)! + (steps[1]! - steps[0]!)] },
            y: { range: (_, _lowest, highest) => [0, Math.max(1, highest)] },
          },
          axes: [axis, { ...axis, size: 44, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 10_000, 100_000] }],
          series: [
            {},
            ...fills.toReversed().map((fill) => ({ paths: bars, fill, width: 0, points: { show: false } })),
            { stroke: ink, dash: [4, 4], width: 1.5, points: { show: false } },
          ],
        },
        [steps as number[], ...stacked.toReversed(), before as number[]],
        element,
      );
    };
    const resized = new ResizeObserver(() => plot?.setSize({ width: element.clientWidth, height: HEIGHT }));
    draw();
    resized.observe(element);
    DARK.addEventListener('change', draw);
    return () => {
      resized.disconnect();
      DARK.removeEventListener('change', draw);
      plot?.destroy();
    };
  }, [steps, series, before]);
  return <div ref={box} class="plot" aria-hidden="true" />;
}

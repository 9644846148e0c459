import { useEffect, useState } from 'preact/hooks';
import { explain } from '../api.js';
import { csvLine } from '../csv.js';
import { saveFile } from '../files.js';
import { fill, text } from '../text.js';
import { type Column, fileValueOf } from './table.js';

const t = text.csv;
/** The most rows of one file. */
const MOST_ROWS = 100_000;

/** A button that saves all rows of a list as a CSV file. While the rows are loading, it cancels that. */
export function Export<Row>({
  title,
  columns,
  keyOf,
  pages,
}: {
  title: string;
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
  pages: () => AsyncIterable<readonly Row[]>;
}) {
  const [running, setRunning] = useState<AbortController | null>(null);
  const [note, setNote] = useState('');
  useEffect(() => () => running?.abort(), [running]);
  const say = (template: string, rows: number): void => setNote(fill(template, { rows: rows.toLocaleString('en') }));
  const start = async (): Promise<void> => {
    const run = new AbortController();
    setRunning(run);
    say(t.loading, 0);
    try {
      const heads = columns.filter(fileValueOf).map(({ head }) => head);
      const values = columns.flatMap((column) => fileValueOf(column) ?? []);
      const lines = ['\uFEFF', csvLine([t.id, ...heads])];
      let rows = 0;
      let isCut = false;
      for await (const page of pages()) {
        if (run.signal.aborted) return;
        isCut = rows === MOST_ROWS;
        if (isCut) break;
        lines.push(...page.map((row) => csvLine([keyOf(row), ...values.map((value) => value(row))])));
        rows += page.length;
        // A screen reader reads each text out.
        if (rows % 1_000 === 0) say(t.loading, rows);
      }
      saveFile(`${nameOf(title)}.csv`, lines, 'text/csv');
      say(isCut ? t.cut : t.saved, rows);
    } catch (error) {
      if (!run.signal.aborted) setNote(explain(error));
    } finally {
      setRunning((last) => (last === run ? null : last));
    }
  };
  const cancel = (): void => {
    setRunning(null);
    setNote(t.cancelled);
  };
  return (
    <div class="actions">
      <button type="button" onClick={() => (running ? cancel() : void start())}>
        {running ? t.cancel : t.export}
      </button>
      <span class="faint" role="status">
        {note}
      </span>
    </div>
  );
}

const nameOf = (title: string): string =>
  `${title.toLowerCase().replaceAll(' ', '-')}-${new Date().toISOString().slice(0, 10)}`;

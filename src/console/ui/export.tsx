import { useEffect, useState } from 'preact/hooks';
import { explain } from '../api.js';
import { csvLine, linesOf } from '../csv.js';
import { saveFile } from '../files.js';
import { fill, text } from '../text.js';
import { type Column, fileValueOf } from './table.js';

const t = text.csv;

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
      const lineOf = (row: Row): string => csvLine([keyOf(row), ...values.map((value) => value(row))]);
      const { lines, isCut } = await linesOf(pages(), lineOf, (rows) => {
        // A screen reader reads each text out.
        if (rows % 1_000 === 0 && !run.signal.aborted) say(t.loading, rows);
        return !run.signal.aborted;
      });
      if (run.signal.aborted) return;
      saveFile(`${nameOf(title)}.csv`, ['\uFEFF', csvLine([t.id, ...heads]), ...lines], 'text/csv');
      say(isCut ? t.cut : t.saved, lines.length);
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

/**
 * Where a spreadsheet would begin to read a formula: at a cell that begins like one, and also behind a separator or a quote, because
 * spreadsheets of many countries separate cells by semicolons or tabs.
 */
const FORMULA = /^(?=[\t\r\n])|(?<=^|[,;\t\r\n"])(?=[=+\-@＝＋－＠])/g;

/** A line of a CSV file by RFC 4180. An apostrophe before a formula makes it a text. */
export const csvLine = (cells: readonly (string | number)[]): string =>
  `${cells.map((cell) => (typeof cell === 'number' ? cell : quoted(cell))).join(',')}\r\n`;

/** The most rows of one file. */
const MOST_ROWS = 100_000;

/** The lines of the rows of all pages, and whether there are more rows than a file may have. `onPage` returns false to end it. */
export async function linesOf<Row>(
  pages: AsyncIterable<readonly Row[]>,
  lineOf: (row: Row) => string,
  onPage: (rows: number) => boolean,
): Promise<{ lines: readonly string[]; isCut: boolean }> {
  const lines: string[] = [];
  for await (const page of pages) {
    const room = MOST_ROWS - lines.length;
    lines.push(...page.slice(0, room).map(lineOf));
    if (!onPage(lines.length) || page.length > room) return { lines, isCut: page.length > room };
  }
  return { lines, isCut: false };
}

const quoted = (cell: string): string => `"${cell.replace(FORMULA, "'").replaceAll('"', '""')}"`;

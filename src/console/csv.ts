/** A formula may also begin behind a separator or a quote: many spreadsheets separate cells by semicolons or tabs. */
const FORMULA = /^(?=[\t\r\n])|(?<=^|[,;\t\r\n"])(?=[=+\-@＝＋－＠])/g;

/** RFC 4180. An apostrophe makes a formula a text. */
export const csvLine = (cells: readonly (string | number)[]): string =>
  `${cells.map((cell) => (typeof cell === 'number' ? cell : quoted(cell))).join(',')}\r\n`;

const MOST_ROWS = 100_000;

/** `onPage` returns false to end it. */
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

/**
 * Where a spreadsheet would begin to read a formula: at a cell that begins like one, and also behind a separator or a quote, because
 * spreadsheets of many countries separate cells by semicolons or tabs.
 */
const FORMULA = /^(?=[\t\r\n])|(?<=^|[,;\t\r\n"])(?=[=+\-@＝＋－＠])/g;

/** A line of a CSV file by RFC 4180. An apostrophe before a formula makes it a text. */
export const csvLine = (cells: readonly (string | number)[]): string =>
  `${cells.map((cell) => (typeof cell === 'number' ? cell : quoted(cell))).join(',')}\r\n`;

const quoted = (cell: string): string => `"${cell.replace(FORMULA, "'").replaceAll('"', '""')}"`;

import { csvLine, linesOf } from '../../src/console/csv.js';

describe('a line of a CSV file', () => {
  it('quotes each text, doubles its quotes, keeps its line breaks, and ends with CR and LF', () => {
    expect(csvLine(['Ada "Lady" Lovelace', 'a, b', 'one\r\ntwo', '', 7, -1])).toBe(
      '"Ada ""Lady"" Lovelace","a, b","one\r\ntwo","",7,-1\r\n',
    );
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1', '＋1', '－1', '＠A1'])(
    'puts an apostrophe before %j, which a spreadsheet would calculate',
    (text) => expect(csvLine([text])).toMatch(/^"'/),
  );

  it.each([
    ['x;=1+1', `"x;'=1+1"\r\n`],
    ['x\t@A1', `"x\t'@A1"\r\n`],
    ['x";=1', `"x"";'=1"\r\n`],
    ['x\r\n=1', `"x\r\n'=1"\r\n`],
  ])('puts one before a formula behind the separator of another country in %j', (text, line) =>
    expect(csvLine([text])).toBe(line),
  );

  it.each(['ada@example.com', 'Jean-Luc', 'https://example.com/?a=1&b=-2', 'Mozilla/5.0 (X11; +http://bot)'])(
    'leaves %s as it is',
    (text) => expect(csvLine([text])).toBe(`"${text}"\r\n`),
  );
});

describe('the lines of a CSV file', () => {
  async function* pagesOf(rows: number, size: number): AsyncIterable<readonly number[]> {
    for (let first = 0; first < rows; first += size)
      yield Array.from({ length: Math.min(size, rows - first) }, (_, row) => first + row);
  }

  it.each([
    [230, 230, false],
    [100_000, 100_000, false],
    [100_001, 100_000, true],
    [120_000, 100_000, true],
  ])('of %i rows are %i', async (rows, expected, isCut) => {
    for (const size of [25, 100, 999]) {
      const counts: number[] = [];
      const file = await linesOf(pagesOf(rows, size), String, (count) => counts.push(count) > 0);
      expect([file.lines.length, file.lines.at(-1), file.isCut]).toEqual([expected, String(expected - 1), isCut]);
      expect(counts.at(-1)).toBe(expected);
    }
  });

  it('end at the page after which they are not wanted', async () => {
    const { lines } = await linesOf(pagesOf(300, 100), String, (rows) => rows < 200);
    expect(lines).toHaveLength(200);
  });
});

import { isUtf8 } from 'node:buffer';

/** A longer record would fill the memory, so the file is refused. */
export const MOST_BYTES = 8 * 1024 * 1024;
const MOST_CELLS = 1_000;
const MOST_LEVELS = 100;

/** The file cannot be read on. The message is a predicate. */
export class BrokenFile extends Error {
  constructor(
    readonly line: number,
    readonly rule: string,
    message: string,
  ) {
    super(message);
  }
}

export const tooLong = (line: number) => new BrokenFile(line, 'too_long', `is longer than ${MOST_BYTES} bytes`);

const [LF, CR, QUOTE, COMMA, BACKSLASH] = [...'\n\r",\\'].map((character) => character.charCodeAt(0));
const BOM = Buffer.from('\uFEFF');
const [OPENS, CLOSES, SEPARATES] = ['{[', '}]', ',:'].map((text) => new Set(Buffer.from(text)));

/** The bytes up to the last whole character. */
function wholeCharacters(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80) break;
    if (byte >= 0xc0) return (byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4) > back ? bytes.subarray(0, -back) : bytes;
  }
  return bytes;
}

/** Passes UTF-8 on. Of another encoding the parsers would replace letters, and report nothing. */
async function* utf8Of(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let [line, rest] = [1, Buffer.alloc(0) as Buffer];
  const requireUtf8 = (bytes: Buffer): void => {
    const isWhole = isUtf8(bytes);
    for (let begin = 0; ; line += 1) {
      const end = bytes.indexOf(LF!, begin);
      if (!isWhole && !isUtf8(bytes.subarray(begin, end < 0 ? undefined : end)))
        throw new BrokenFile(line, 'encoding', 'is no UTF-8');
      if (end < 0) return;
      begin = end + 1;
    }
  };
  for await (const chunk of chunks) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    const whole = wholeCharacters(bytes);
    requireUtf8(whole);
    rest = bytes.subarray(whole.length);
    yield chunk;
  }
  requireUtf8(rest);
}

type Cell = 'begun' | 'plain' | 'quoted' | 'closed';

/** Passes CSV on, as far as its rows are bounded: the parser would keep any number of empty cells. */
export async function* boundedRows(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let [line, lines, bytes, cells, endsLine] = [1, 0, 0, 1, true];
  let cell: Cell = 'begun';
  const requireLineEnd = (next?: number): void => {
    if (!endsLine && next !== LF)
      throw new BrokenFile(line, 'line_end', 'has a carriage return outside of quotes that ends no line');
  };
  for await (const chunk of utf8Of(chunks)) {
    for (let index = 0; index < chunk.length; index += 1) {
      const byte = chunk[index]!;
      requireLineEnd(byte);
      endsLine = byte !== CR || cell === 'quoted';
      if ((bytes += 1) > MOST_BYTES) throw tooLong(line);
      if (byte === LF) lines += 1;
      if (cell === 'quoted') {
        if (byte === QUOTE) cell = 'closed';
      } else if (byte === QUOTE) {
        // Within a cell that is not quoted, or whose quotes have ended, it is text.
        if (cell !== 'plain') cell = 'quoted';
      } else if (byte === LF) {
        [line, lines, bytes, cells, cell] = [line + lines, 0, 0, 1, 'begun'];
      } else if (byte === COMMA) {
        cell = 'begun';
        if ((cells += 1) > MOST_CELLS) throw new BrokenFile(line, 'too_many', `has more than ${MOST_CELLS} columns`);
      } else if (!(line === 1 && bytes <= BOM.length && byte === BOM[bytes - 1])) cell = 'plain';
    }
    yield chunk;
  }
  requireLineEnd();
}

/** Passes JSON on, as far as the items of a list at the `level` are bounded. */
export const boundedItems = (level: number) =>
  async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let [line, bytes, depth] = [1, 0, 0];
    let [isText, isEscaped] = [false, false];
    for await (const chunk of utf8Of(chunks)) {
      for (let index = 0; index < chunk.length; index += 1) {
        const byte = chunk[index]!;
        if ((bytes += 1) > MOST_BYTES) throw tooLong(line);
        if (byte === LF) line += 1;
        if (isText) {
          if (byte === QUOTE && !isEscaped) isText = false;
          isEscaped = byte === BACKSLASH && !isEscaped;
        } else if (byte === QUOTE) isText = true;
        else if (OPENS!.has(byte)) {
          if ((depth += 1) > MOST_LEVELS) throw new BrokenFile(line, 'depth', `has more than ${MOST_LEVELS} levels`);
          if (depth <= level) bytes = 0;
        } else if (CLOSES!.has(byte)) {
          if ((depth -= 1) <= level) bytes = 0;
        } else if (depth <= level && SEPARATES!.has(byte)) bytes = 0;
      }
      yield chunk;
    }
  };

import { createReadStream } from 'node:fs';
import type { Source } from './source.js';

/** The text of a record, or of the header of CSV, and its place in the file. */
export interface Piece {
  /** The number of the line at which it begins, from 1; of a JSON list, that of its item. */
  readonly line: number;
  /** The bytes before it. */
  readonly offset: number;
  readonly length: number;
  readonly text: string;
}

/** A longer record is a fault of the file, which must not fill the memory. */
const MOST_BYTES = 8 * 1024 * 1024;
const BYTES_AT_ONCE = 128 * 1024;

const [LINE_FEED, QUOTE, COMMA, BACKSLASH] = [10, 34, 44, 92];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];

/** Bytes of a file. The piece that is looked for begins at `from`, and was read up to `at`; one that was found ends at `to`. */
class Bytes {
  read: Buffer = Buffer.alloc(0);
  from = 0;
  at = 0;
  to = 0;
  /** The bytes of the file before those that were read. */
  before = 0;

  append(chunk: Buffer): void {
    const taken = Math.min(this.from, this.read.length);
    const rest = this.read.subarray(taken);
    this.read = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    this.from -= taken;
    this.at -= taken;
    this.before += taken;
  }

  /** The piece ends here, before its last byte. */
  end(): true {
    this.to = this.at - 1;
    return true;
  }
}

interface Scanner {
  /** Reads on. True where a piece ends, false at the end of the bytes. */
  readonly next: (bytes: Bytes) => boolean;
  /** Whether the file may end here. */
  readonly isWhole: () => boolean;
}

function scanLines(): Scanner {
  const next = (bytes: Bytes): boolean => {
    const end = bytes.read.indexOf(LINE_FEED, bytes.at);
    bytes.at = end < 0 ? bytes.read.length : end + 1;
    return end >= 0 && bytes.end();
  };
  return { next, isWhole: () => true };
}

/** RFC 4180. A quotation mark within a cell that does not begin with one has no meaning. */
function scanRows(): Scanner {
  let [isQuoted, mayOpen] = [false, true];
  const next = (bytes: Bytes): boolean => {
    const { read } = bytes;
    while (bytes.at < read.length) {
      if (isQuoted) {
        const close = read.indexOf(QUOTE, bytes.at);
        bytes.at = close < 0 ? read.length : close + 1;
        if (close < 0) return false;
        // A second one right after it stands for the mark itself.
        [isQuoted, mayOpen] = [false, true];
        continue;
      }
      const byte = read[bytes.at++];
      if (byte === QUOTE && mayOpen) isQuoted = true;
      mayOpen = byte === COMMA || byte === LINE_FEED;
      if (byte === LINE_FEED) return bytes.end();
    }
    return false;
  };
  return { next, isWhole: () => true };
}

/** The items of a list, or of the list `users` of an object. */
function scanItems(): Scanner {
  let [depth, name, isInText] = [0, '', false];
  let list: 'ahead' | 'here' | 'over' = 'ahead';
  let depthOfItems = 0;
  const next = (bytes: Bytes): boolean => {
    const { read } = bytes;
    while (bytes.at < read.length) {
      const byte = read[bytes.at++];
      if (isInText) {
        if (byte === BACKSLASH) bytes.at += 1;
        else if (byte === QUOTE) {
          isInText = false;
          if (list === 'ahead') name = depth === 1 ? read.toString('utf8', bytes.from, bytes.at - 1) : '';
        }
        continue;
      }
      if (list !== 'here') bytes.from = bytes.at;
      if (byte === QUOTE) isInText = true;
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
        depth += 1;
        if (list !== 'ahead' || byte === OPEN_OBJECT || !(depth === 1 || (depth === 2 && name === 'users'))) continue;
        [list, depthOfItems] = ['here', depth];
        bytes.from = bytes.at;
      } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
        depth -= 1;
        if (list !== 'here' || depth >= depthOfItems) continue;
        list = 'over';
        return bytes.end();
      } else if (byte === COMMA && list === 'here' && depth === depthOfItems) return bytes.end();
      else if (byte === COMMA) name = '';
    }
    return false;
  };
  return { next, isWhole: () => list !== 'here' };
}

const SCANNERS = { ndjson: scanLines, csv: scanRows, json: scanItems } as const;

/** Cuts a file of any length into its records. Those without text are left out. */
export async function* piecesOf(path: string, format: Source['format']): AsyncGenerator<Piece> {
  const [bytes, scanner] = [new Bytes(), SCANNERS[format]()];
  let line = 1;
  const taken = (): Piece | null => {
    const { from, to, before } = bytes;
    const [offset, length] = [before + from, to - from];
    const text = textOf(bytes.read.subarray(from, to), offset);
    const piece = text.trim() === '' ? null : { line, offset, length, text };
    bytes.from = bytes.at;
    if (format === 'csv' && text.includes('\n')) line += text.split('\n').length;
    else if (format !== 'json' || piece) line += 1;
    return piece;
  };
  for await (const chunk of createReadStream(path, { highWaterMark: BYTES_AT_ONCE }) as AsyncIterable<Buffer>) {
    bytes.append(chunk);
    while (scanner.next(bytes)) {
      const piece = taken();
      if (piece) yield piece;
    }
    if (bytes.at - bytes.from > MOST_BYTES)
      throw new Error(`${path} has a record longer than ${MOST_BYTES} bytes: ${line}.`);
  }
  if (!scanner.isWhole()) throw new Error(`${path} ends within its list of users.`);
  bytes.to = bytes.read.length;
  const last = format !== 'json' && bytes.from < bytes.to ? taken() : null;
  if (last) yield last;
}

/** The text of a piece at this place, without a byte order mark and a carriage return. */
export function textOf(piece: Buffer, offset: number): string {
  const text = piece.toString();
  return (offset === 0 ? text.replace(/^\uFEFF/, '') : text).replace(/\r$/, '');
}

/** The cells of a record of CSV. */
export function cellsIn(text: string): readonly string[] {
  const cells: string[] = [];
  for (let at = 0; at <= text.length;) {
    let cell = '';
    if (text[at] === '"') {
      for (;;) {
        const close = text.indexOf('"', at + 1);
        const end = close < 0 ? text.length : close;
        cell += text.slice(at + 1, end);
        at = end + 1;
        if (text[at] !== '"') break;
        cell += '"';
      }
    }
    const comma = text.indexOf(',', at);
    const end = comma < 0 ? text.length : comma;
    cells.push(cell + text.slice(at, end));
    at = end + 1;
  }
  return cells;
}

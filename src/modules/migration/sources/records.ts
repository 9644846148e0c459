import { type CastingContext, type Options, parse as csvStream } from 'csv-parse';
import { parse as csvText } from 'csv-parse/sync';
import { isUtf8 } from 'node:buffer';
import { createReadStream, readSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { parser } from 'stream-json';
import { pick } from 'stream-json/filters/pick.js';
import { streamArray } from 'stream-json/streamers/stream-array.js';
import { boundedItems, boundedRows, BrokenFile, MOST_BYTES, tooLong } from './bounds.js';
import { DiskIndex, MOST_OF_KEY } from './disk-index.js';
import { type FurtherFile, type Source, UnreadableRecord, type VendorRecord } from './source.js';

type Format = Source['format'];

export interface ReadRecord {
  /** The line at which it begins, from 1; of a JSON list, the number of the item. */
  readonly line: number;
  readonly offset: number;
  /** Bytes; 0 in a JSON list. */
  readonly length: number;
  readonly record: VendorRecord | UnreadableRecord;
}

export class UnreadableFile extends Error {
  constructor(
    readonly file: string,
    readonly line: number,
    readonly rule: string,
    message: string,
  ) {
    super(`${file} ${message}`);
  }
}

const READERS = { ndjson: linesOf, csv: rowsOf, json: itemsOf } as const;

export async function* recordsOf(path: string, format: Format): AsyncGenerator<ReadRecord> {
  const records = READERS[format](path);
  for (let read = 0; ;) {
    const next = await records.next().catch((error: Error) => {
      const { line, rule } = error instanceof BrokenFile ? error : { line: read + 1, rule: 'format' };
      throw new UnreadableFile(
        path,
        line,
        rule,
        `cannot be read as ${format}: ${error instanceof BrokenFile ? `line ${line} ` : ''}${error.message}`,
      );
    });
    if (next.done) return;
    read = next.value.line;
    yield next.value;
  }
}

async function* linesOf(path: string): AsyncGenerator<ReadRecord> {
  let [line, offset, rest] = [0, 0, Buffer.alloc(0) as Buffer];
  const lineOf = (bytes: Buffer): ReadRecord | null => {
    line += 1;
    const text = bytes.toString().replace(/^\uFEFF/, '');
    if (text.trim() === '') return null;
    return { line, offset, length: bytes.length, record: isUtf8(bytes) ? recordIn(text) : NO_UTF8 };
  };
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    let begin = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, begin)) {
      const found = lineOf(bytes.subarray(begin, end));
      if (found) yield found;
      offset += end + 1 - begin;
      begin = end + 1;
    }
    rest = bytes.subarray(begin);
    if (rest.length > MOST_BYTES) throw tooLong(line + 1);
  }
  const last = lineOf(rest);
  if (last) yield last;
}

function recordIn(text: string): ReadRecord['record'] {
  try {
    const record = JSON.parse(text) as unknown;
    return isRecord(record) ? record : NO_OBJECT;
  } catch {
    return new UnreadableRecord('', 'is no JSON');
  }
}

const isRecord = (value: unknown): value is VendorRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const NO_UTF8 = new UnreadableRecord('', 'is no UTF-8');
const NO_OBJECT = new UnreadableRecord('', 'is no JSON object');

/** Line ends that the parser guesses would be others in a single record. */
const CSV = { bom: true, relax_quotes: true, skip_empty_lines: true, record_delimiter: ['\n', '\r\n'] };
/** A record with another number of columns is rejected by itself, so that the rest of the file is read. */
const ROWS: Options = { ...CSV, columns: true, info: true, relax_column_count: true };

interface CsvRow {
  readonly record: Readonly<Record<string, string>>;
  readonly info: CastingContext & { readonly bytes: number };
}

async function* rowsOf(path: string): AsyncGenerator<ReadRecord> {
  const rows = pipeline(createReadStream(path), boundedRows, csvStream(ROWS), () => {}) as AsyncIterable<CsvRow>;
  let [line, offset, empty] = [1, 0, 0];
  for await (const { record, info } of rows) {
    line += 1 + info.empty_lines - empty;
    const isWhole = info.error === undefined;
    const read = isWhole ? record : new UnreadableRecord('', 'has another number of columns than the header');
    yield { line, offset, length: info.bytes - offset, record: read };
    [offset, empty] = [info.bytes, info.empty_lines];
    for (const cell of Object.values(record)) if (cell.includes('\n')) line += cell.split('\n').length - 1;
  }
}

/** The list is the file itself, or `users` of an object. */
async function* itemsOf(path: string): AsyncGenerator<ReadRecord> {
  const file = createReadStream(path);
  const tokens = parser.asStream({ streamValues: false });
  const isWhole = await isList(path);
  const users = isWhole ? [] : [pick.asStream({ filter: 'users', once: true })];
  const bounded = boundedItems(isWhole ? 1 : 2);
  const items = pipeline(
    [file, bounded as never, tokens, ...users, streamArray.asStream()],
    () => {},
  ) as unknown as AsyncIterable<{
    readonly key: number;
    readonly value: unknown;
  }>;
  for await (const { key, value } of items)
    yield { line: key + 1, offset: file.bytesRead, length: 0, record: isRecord(value) ? value : NO_OBJECT };
}

async function isList(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(64), 0, 64, 0);
    return /^\uFEFF?\s*\[/.test(buffer.toString('utf8', 0, bytesRead));
  } finally {
    await file.close();
  }
}

/** Records of a further file are usually in the order of the users. */
const BYTES_AROUND = 32 * 1024;

/** Records are found by their key. The file is read on request. */
export class SideFile {
  private around = { offset: 0, bytes: Buffer.alloc(0) };

  private constructor(
    private readonly file: FileHandle,
    private readonly further: FurtherFile,
    private readonly header: readonly string[],
    private readonly index: DiskIndex,
  ) {}

  /** The index is a file beside the one at `beside`. */
  static async of(path: string, further: FurtherFile, beside: string): Promise<SideFile> {
    const index = new DiskIndex(beside);
    let header: readonly string[] | undefined;
    for await (const { offset, length, record } of recordsOf(path, further.format)) {
      const isReadable = !(record instanceof UnreadableRecord);
      if (!header && !(isReadable && further.member in record))
        throw new Error(`${path} is another file than expected: its first record has no ${further.member}.`);
      header ??= Object.keys(record);
      const key = isReadable ? further.keyOf(record) : undefined;
      if (key !== undefined) index.add(key, { size: length, place: offset });
    }
    return new SideFile(await open(path), further, header ?? [], index);
  }

  find(key: string): readonly VendorRecord[] {
    const entries = this.index.find(key);
    if (entries.length === MOST_OF_KEY)
      throw new UnreadableRecord('', `has ${MOST_OF_KEY} records or more in a further file`);
    const records = entries.map(({ size, place }) => this.recordAt(place, size));
    return records.filter((record) => this.further.keyOf(record) === key);
  }

  close(): Promise<void> {
    this.index.close();
    return this.file.close();
  }

  /** The record of the first row has the header before it. */
  private recordAt(offset: number, length: number): VendorRecord {
    const bytes = this.bytesAt(offset, length);
    if (this.further.format === 'ndjson') return JSON.parse(bytes.toString().replace(/^\uFEFF/, '')) as VendorRecord;
    const columns = offset === 0 ? true : [...this.header];
    return csvText<VendorRecord>(bytes, { ...CSV, columns })[0]!;
  }

  private bytesAt(offset: number, length: number): Buffer {
    const { around } = this;
    if (offset < around.offset || offset + length > around.offset + around.bytes.length) {
      const bytes = Buffer.allocUnsafe(Math.max(length, BYTES_AROUND));
      this.around = { offset, bytes: bytes.subarray(0, readSync(this.file.fd, bytes, 0, bytes.length, offset)) };
    }
    const begin = offset - this.around.offset;
    return this.around.bytes.subarray(begin, begin + length);
  }
}

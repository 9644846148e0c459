import { parse as csvStream } from 'csv-parse';
import { parse as csvText } from 'csv-parse/sync';
import { hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { parser } from 'stream-json';
import { pick } from 'stream-json/filters/pick.js';
import { streamArray } from 'stream-json/streamers/stream-array.js';
import { type Source, UnreadableRecord, type VendorRecord } from './source.js';

type Format = Source['format'];

/** A record of a file, or why there is none. */
export interface ReadRecord {
  /** The number of the line, from 1; of a JSON list, that of its item. */
  readonly line: number;
  /** The bytes before the record. */
  readonly offset: number;
  /** The bytes of the record; in a JSON list they are not known. */
  readonly length: number;
  readonly record: VendorRecord | UnreadableRecord;
}

// A record with another number of columns is read, to be rejected by itself: otherwise the rest of the file would not be read.
const CSV = { bom: true, columns: true, info: true, relax_column_count: true, skip_empty_lines: true } as const;
/** A longer record is a fault of the file, which must not fill the memory. */
const MOST_BYTES = 8 * 1024 * 1024;

/** Reads a file of any length record by record. */
export async function* recordsOf(path: string, format: Format): AsyncGenerator<ReadRecord> {
  if (format === 'ndjson') yield* linesOf(path);
  else if (format === 'csv') yield* rowsOf(path);
  else yield* itemsOf(path);
}

async function* linesOf(path: string): AsyncGenerator<ReadRecord> {
  let [line, offset, rest] = [0, 0, Buffer.alloc(0)];
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 18 }) as AsyncIterable<Buffer>) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    let begin = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, begin)) {
      yield* lineOf(bytes.subarray(begin, end), (line += 1), offset);
      offset += end + 1 - begin;
      begin = end + 1;
    }
    rest = Buffer.from(bytes.subarray(begin));
    if (rest.length > MOST_BYTES) throw new Error(`${path} has a line longer than ${MOST_BYTES} bytes: ${line + 1}.`);
  }
  yield* lineOf(rest, line + 1, offset);
}

function* lineOf(bytes: Buffer, line: number, offset: number): Generator<ReadRecord> {
  const text = bytes
    .toString()
    .replace(/^\uFEFF/, '')
    .trim();
  if (text !== '') yield { line, offset, length: bytes.length, record: recordIn(text) };
}

function recordIn(text: string): ReadRecord['record'] {
  try {
    const record = JSON.parse(text) as unknown;
    if (typeof record === 'object' && record !== null && !Array.isArray(record)) return record as VendorRecord;
    return new UnreadableRecord('', 'is no JSON object');
  } catch {
    return new UnreadableRecord('', 'is no JSON');
  }
}

async function* rowsOf(path: string): AsyncGenerator<ReadRecord> {
  const rows = pipeline(createReadStream(path), csvStream({ ...CSV, max_record_size: MOST_BYTES }), () => {});
  let offset = 0;
  for await (const { record, info } of rows as AsyncIterable<{
    record: VendorRecord;
    info: { lines: number; bytes: number; error?: Error };
  }>) {
    const read = info.error ? new UnreadableRecord('', 'has another number of columns than the header') : record;
    yield { line: info.lines, offset, length: info.bytes - offset, record: read };
    offset = info.bytes;
  }
}

async function* itemsOf(path: string): AsyncGenerator<ReadRecord> {
  const file = createReadStream(path);
  const isList = /^\uFEFF?\s*\[/.test(await beginOf(path));
  const users = isList ? [] : [pick.asStream({ filter: 'users', once: true })];
  const tokens = parser.asStream({ streamValues: false });
  const items = pipeline([file, tokens, ...users, streamArray.asStream()], () => {}) as unknown as AsyncIterable<{
    readonly key: number;
    readonly value: unknown;
  }>;
  for await (const { key, value } of items) {
    const isRecord = typeof value === 'object' && value !== null;
    const record = isRecord ? (value as VendorRecord) : new UnreadableRecord('', 'is no JSON object');
    yield { line: key + 1, offset: file.bytesRead, length: 0, record };
  }
}

async function beginOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(64), 0, 64, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

const keyHash = (key: string): number => hash('sha1', key, 'buffer').readUInt32BE(0);

/** A further file whose records are found by their key. Memory has 16 bytes of each; the records are read when they are asked for. */
export class SideFile {
  private constructor(
    private readonly file: FileHandle,
    private readonly format: 'ndjson' | 'csv',
    private readonly header: readonly string[],
    private readonly keyOf: (record: VendorRecord) => string,
    private readonly hashes: Uint32Array,
    private readonly offsets: Float64Array,
    private readonly lengths: Uint32Array,
  ) {}

  static async of(path: string, { format, keyOf }: NonNullable<Source['sides']>[number]): Promise<SideFile> {
    let [count, hashes, offsets, lengths] = [0, new Uint32Array(1024), new Float64Array(1024), new Uint32Array(1024)];
    let header: readonly string[] = [];
    for await (const { offset, length, record } of recordsOf(path, format)) {
      if (record instanceof UnreadableRecord) continue;
      if (count === 0) header = Object.keys(record);
      if (count === hashes.length) {
        const more = [new Uint32Array(2 * count), new Float64Array(2 * count), new Uint32Array(2 * count)] as const;
        more[0].set(hashes);
        more[1].set(offsets);
        more[2].set(lengths);
        [hashes, offsets, lengths] = more;
      }
      hashes[count] = keyHash(keyOf(record));
      offsets[count] = offset;
      lengths[count] = length;
      count += 1;
    }
    const order = new Uint32Array(count).map((_, index) => index).sort((a, b) => hashes[a]! - hashes[b]!);
    const sorted = [
      order.map((index) => hashes[index]!),
      Float64Array.from(order, (index) => offsets[index]!),
      order.map((index) => lengths[index]!),
    ] as const;
    return new SideFile(await open(path), format, header, keyOf, ...sorted);
  }

  async find(key: string): Promise<readonly VendorRecord[]> {
    const wanted = keyHash(key);
    let [low, high] = [0, this.hashes.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.hashes[middle]! < wanted) low = middle + 1;
      else high = middle;
    }
    const found: VendorRecord[] = [];
    for (; this.hashes[low] === wanted; low += 1) {
      const record = await this.read(this.offsets[low]!, this.lengths[low]!);
      if (record && this.keyOf(record) === key) found.push(record);
    }
    return found;
  }

  close(): Promise<void> {
    return this.file.close();
  }

  private async read(offset: number, length: number): Promise<VendorRecord | null> {
    const { buffer } = await this.file.read(Buffer.allocUnsafe(length), 0, length, offset);
    if (this.format === 'ndjson') {
      const record = recordIn(buffer.toString().replace(/^\uFEFF/, ''));
      return record instanceof UnreadableRecord ? null : record;
    }
    const columns = offset === 0 ? true : [...this.header];
    return csvText<VendorRecord>(buffer, { bom: true, columns, skip_empty_lines: true, to: 1 })[0] ?? null;
  }
}

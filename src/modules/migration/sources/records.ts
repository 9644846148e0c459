import { hash } from 'node:crypto';
import { readSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { cellsIn, type Piece, piecesOf, textOf } from './pieces.js';
import { type Source, UnreadableRecord, type VendorRecord } from './source.js';

/** A record of a file, or why there is none. */
export interface ReadRecord extends Omit<Piece, 'text'> {
  readonly record: VendorRecord | UnreadableRecord;
}

/** Reads the texts of a file in their order; null for the header. */
type Reader = (text: string) => ReadRecord['record'] | null;

/** Reads a file of any length record by record. */
export async function* recordsOf(
  path: string,
  format: Source['format'],
  read: Reader = readerOf(format),
): AsyncGenerator<ReadRecord> {
  for await (const { text, ...place } of piecesOf(path, format)) {
    const record = read(text);
    if (record) yield { ...place, record };
  }
}

function readerOf(format: Source['format']): Reader {
  if (format !== 'csv') return recordIn;
  let header: readonly string[] | null = null;
  return (text) => {
    if (header) return rowIn(text, header);
    header = cellsIn(text);
    return null;
  };
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

/** A record with another number of columns is rejected by itself, so that the rest of the file is read. */
function rowIn(text: string, header: readonly string[]): ReadRecord['record'] {
  const cells = cellsIn(text);
  if (cells.length !== header.length) return new UnreadableRecord('', 'has another number of columns than the header');
  return Object.fromEntries(header.map((name, index) => [name, cells[index]!]));
}

/** Records of a further file stand most often in the order of the users. */
const BYTES_AROUND = 32 * 1024;

const keyHash = (key: string): number => hash('sha1', key, 'buffer').readUInt32BE(0);

/** A further file whose records are found by their key. Memory has 16 bytes of each; the records are read when they are asked for. */
export class SideFile {
  private around = { offset: 0, bytes: Buffer.alloc(0) };

  private constructor(
    private readonly file: FileHandle,
    private readonly read: Reader,
    private readonly keyOf: (record: VendorRecord) => string,
    private readonly hashes: Uint32Array,
    private readonly offsets: Float64Array,
    private readonly lengths: Uint32Array,
  ) {}

  static async of(path: string, { format, keyOf }: NonNullable<Source['sides']>[number]): Promise<SideFile> {
    let [count, hashes, offsets, lengths] = [0, new Uint32Array(1024), new Float64Array(1024), new Uint32Array(1024)];
    const read = readerOf(format);
    for await (const { offset, length, record } of recordsOf(path, format, read)) {
      if (record instanceof UnreadableRecord) continue;
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
    return new SideFile(await open(path), read, keyOf, ...sorted);
  }

  find(key: string): readonly VendorRecord[] {
    const wanted = keyHash(key);
    let [low, high] = [0, this.hashes.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.hashes[middle]! < wanted) low = middle + 1;
      else high = middle;
    }
    const found: VendorRecord[] = [];
    for (; this.hashes[low] === wanted; low += 1) {
      const record = this.read(this.textAt(this.offsets[low]!, this.lengths[low]!));
      if (record && !(record instanceof UnreadableRecord) && this.keyOf(record) === key) found.push(record);
    }
    return found;
  }

  close(): Promise<void> {
    return this.file.close();
  }

  private textAt(offset: number, length: number): string {
    const { around } = this;
    if (offset < around.offset || offset + length > around.offset + around.bytes.length) {
      const bytes = Buffer.allocUnsafe(Math.max(length, BYTES_AROUND));
      this.around = { offset, bytes: bytes.subarray(0, readSync(this.file.fd, bytes, 0, bytes.length, offset)) };
    }
    const begin = offset - this.around.offset;
    return textOf(this.around.bytes.subarray(begin, begin + length), offset);
  }
}

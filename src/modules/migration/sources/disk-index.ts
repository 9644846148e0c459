import { hash, randomBytes } from 'node:crypto';
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';

/** A slot has 6 bytes of the key's hash, and an entry in 4 and 6 bytes. */
const SLOT = 16;
const SLOTS_OF_BLOCK = 256;
const BYTES_AT_ONCE = 16 * SLOTS_OF_BLOCK * SLOT;
const MOST_PENDING = 65_536;

/** No more entries of one key are found: a key with so many is a fault of its file. */
export const MOST_OF_KEY = 1_000;

interface Entry {
  readonly size: number;
  readonly place: number;
}

/** Slots in the order of their hashes. */
interface Run {
  readonly file: number;
  readonly count: number;
  /** The hash of the first slot of each block. */
  readonly firsts: readonly number[];
}

const hashOf = (key: string): number => hash('sha1', key, 'buffer').readUIntBE(0, 6);
const hashIn = (slot: Buffer): number => slot.readUIntBE(0, 6);

function slotOf(keyHash: number, { size, place }: Entry): Buffer {
  const slot = Buffer.allocUnsafe(SLOT);
  slot.writeUIntBE(keyHash, 0, 6);
  slot.writeUInt32BE(size, 6);
  slot.writeUIntBE(place, 10, 6);
  return slot;
}

/**
 * Finds entries by their keys. They are kept in sorted files without a name: memory hardly grows with them, and a killed process leaves
 * none behind. Files of similar length are merged, so there are few.
 */
export class DiskIndex {
  private readonly pending = new Map<number, Entry[]>();
  private pendingCount = 0;
  private runs: readonly Run[] = [];

  /** The files are made beside the one at `path`. */
  constructor(private readonly path: string) {}

  add(key: string, entry: Entry): void {
    const keyHash = hashOf(key);
    const same = this.pending.get(keyHash);
    if (same) same.push(entry);
    else this.pending.set(keyHash, [entry]);
    this.pendingCount += 1;
    if (this.pendingCount >= MOST_PENDING) this.store();
  }

  find(key: string): readonly Entry[] {
    const keyHash = hashOf(key);
    const stored = this.runs.flatMap((run) => entriesIn(run, keyHash));
    return [...stored, ...(this.pending.get(keyHash) ?? [])].slice(0, MOST_OF_KEY);
  }

  close(): void {
    for (const { file } of this.runs) closeSync(file);
  }

  private store(): void {
    const sorted = [...this.pending].toSorted(([a], [b]) => a - b);
    const slots = sorted.flatMap(([keyHash, entries]) => entries.map((entry) => slotOf(keyHash, entry)));
    this.pending.clear();
    this.pendingCount = 0;
    let last = this.written(slots);
    let before = this.runs;
    for (let next = before.at(-1); next && next.count <= 2 * last.count; next = before.at(-1)) {
      const merging = [next, last];
      last = this.written(merged(slotsIn(next), slotsIn(last)));
      for (const { file } of merging) closeSync(file);
      before = before.slice(0, -1);
    }
    this.runs = [...before, last];
  }

  private written(slots: Iterable<Buffer>): Run {
    const path = `${this.path}.${randomBytes(6).toString('hex')}.index`;
    const file = openSync(path, 'wx+', 0o600);
    unlinkSync(path);
    const bytes = Buffer.allocUnsafe(BYTES_AT_ONCE);
    const firsts: number[] = [];
    let [length, count] = [0, 0];
    for (const slot of slots) {
      if (count % SLOTS_OF_BLOCK === 0) firsts.push(hashIn(slot));
      slot.copy(bytes, length);
      [length, count] = [length + SLOT, count + 1];
      if (length < BYTES_AT_ONCE) continue;
      writeWhole(file, bytes);
      length = 0;
    }
    writeWhole(file, bytes.subarray(0, length));
    return { file, count, firsts };
  }
}

/** A disk that is nearly full takes a part, and refuses only the next call. */
function writeWhole(file: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
}

function* slotsIn({ file, count }: Run): Generator<Buffer> {
  for (let place = 0; place < count * SLOT; place += BYTES_AT_ONCE) {
    const bytes = Buffer.allocUnsafe(BYTES_AT_ONCE);
    const length = readSync(file, bytes, 0, BYTES_AT_ONCE, place);
    for (let at = 0; at < length; at += SLOT) yield bytes.subarray(at, at + SLOT);
  }
}

function* merged(left: Iterator<Buffer>, right: Iterator<Buffer>): Generator<Buffer> {
  let [a, b] = [left.next(), right.next()];
  while (!a.done || !b.done)
    if (b.done || (!a.done && hashIn(a.value) <= hashIn(b.value))) {
      yield a.value as Buffer;
      a = left.next();
    } else {
      yield b.value;
      b = right.next();
    }
}

function entriesIn({ file, count, firsts }: Run, keyHash: number): readonly Entry[] {
  let [low, high] = [0, firsts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (firsts[middle]! < keyHash) low = middle + 1;
    else high = middle;
  }
  const entries: Entry[] = [];
  // The block before may end with slots of the hash.
  for (let block = Math.max(0, low - 1); block * SLOTS_OF_BLOCK < count && entries.length < MOST_OF_KEY; block += 1) {
    const bytes = Buffer.allocUnsafe(SLOTS_OF_BLOCK * SLOT);
    const length = readSync(file, bytes, 0, bytes.length, block * bytes.length);
    for (let at = 0; at < length; at += SLOT) {
      const slotHash = bytes.readUIntBE(at, 6);
      if (slotHash > keyHash) return entries;
      if (slotHash === keyHash) entries.push({ size: bytes.readUInt32BE(at + 6), place: bytes.readUIntBE(at + 10, 6) });
    }
  }
  return entries;
}

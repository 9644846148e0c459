import { getBase58Decoder } from '@solana/kit';
import { createHash } from 'node:crypto';

/** Slots before the first block, so that block heights and slots differ as they do on the real chain. */
const EMPTY_SLOTS = 1_000;

/** The blocks of a chain: their slots, heights and hashes. A fork replaces hashes, never heights. */
export class SolanaBlocks {
  /** The newest slot; it always has a block. */
  slot = EMPTY_SLOTS + 100;
  /** In ascending order. */
  private readonly skipped: number[] = [];
  /** How often the block of a slot was replaced. */
  private readonly replacements = new Map<number, number>();
  private readonly heights = new Map<string, number>();

  constructor(private readonly seed: Uint8Array) {}

  advance(slots: number): void {
    this.slot += slots;
  }

  /** Slots without a block, then one with. */
  skip(slots: number): void {
    for (let i = 1; i <= slots; i++) this.skipped.push(this.slot + i);
    this.slot += slots + 1;
  }

  isSkipped(slot: number): boolean {
    return slot < EMPTY_SLOTS || this.skipped[this.skippedBefore(slot)] === slot;
  }

  /** The newest slot with a block that is not above this one. */
  blockUpTo(slot: number): number {
    let found = Math.max(EMPTY_SLOTS, slot);
    while (found > EMPTY_SLOTS && this.isSkipped(found)) found -= 1;
    return found;
  }

  heightAt(slot: number): number {
    return slot - EMPTY_SLOTS - this.skippedBefore(slot);
  }

  /** The height of the block with this hash on any fork; undefined if the hash is unknown. */
  heightOf(hash: string): number | undefined {
    return this.heights.get(hash);
  }

  hashAt(slot: number): string {
    const height = this.heightAt(slot);
    const replaced = this.replacements.get(slot) ?? 0;
    const digest = createHash('sha256')
      .update(this.seed)
      .update(`${height}${'*'.repeat(replaced)}`)
      .digest();
    const hash = getBase58Decoder().decode(digest);
    this.heights.set(hash, height);
    return hash;
  }

  genesisHash(): string {
    return this.hashAt(EMPTY_SLOTS);
  }

  /** Replaces the blocks from this slot on; returns their previous hashes. */
  replaceFrom(from: number): Map<number, string> {
    const before = new Map<number, string>();
    for (let slot = from; slot <= this.slot; slot++) {
      before.set(slot, this.hashAt(slot));
      this.replacements.set(slot, (this.replacements.get(slot) ?? 0) + 1);
    }
    return before;
  }

  /** The number of skipped slots below this one. */
  private skippedBefore(slot: number): number {
    let low = 0;
    let high = this.skipped.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.skipped[middle]! < slot) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

import type { BeforeApplicationShutdown } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { runCausedBy } from '../../kernel/current-call.js';
import type { Log } from '../../kernel/log.js';
import { RecentlyUsed } from '../../kernel/recently-used.js';
import { runIn } from '../../postgres/current-transaction.js';
import {
  keyOf,
  type RefusalBatch,
  type RefusalClass,
  type RefusalCounts,
  RefusalReader,
  type Refused,
} from './refusal-counts.js';

const MOST_CLASSES_OF_APP = 1_000;
/** This many refusals of all apps wait between two writes or while the database is unavailable. */
const MOST_WAITING = 5_000;
const MOST_PER_BATCH = 500;
const MOST_REMEMBERED = 100_000;

/** Groups refusals in memory and counts them in the database behind the requests. The minute of a class begins with its first refusal. */
export abstract class RefusalRecorder<Item> extends RefusalReader<Item> implements BeforeApplicationShutdown {
  private readonly id = randomBytes(9).toString('base64url');
  private made = 0;
  private waiting = new Map<string, Map<string, Refused<Item>>>();
  private classes = 0;
  private items = 0;
  /** They are sent until they are stored, before new ones are made: the result of a COMMIT may be lost. */
  private readonly batches: RefusalBatch<Item>[] = [];
  /** Monotonic; infinite until the class is counted. */
  private readonly quietUntil = new RecentlyUsed<string, number>(MOST_REMEMBERED);
  private timer: NodeJS.Timeout | undefined;
  private writing = Promise.resolve();

  constructor(
    protected readonly counts: RefusalCounts,
    private readonly log: Log,
    private readonly settings: { readonly batchMs: number; readonly retryMs: number },
  ) {
    super();
  }

  /** Where a refusal counts while too many classes wait or its class is full; undefined if it is dropped. */
  protected overflow?(of: RefusalClass, appId: string): readonly [appId: string, of: RefusalClass] | undefined;

  end(): Promise<void> {
    return this.counts.end(this);
  }

  flush(): Promise<void> {
    this.writing = this.writing.then(() => this.write());
    return this.writing;
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.flush();
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** Returns at once. `item` is called for a refusal that may be stored. */
  protected record(appId: string, of: RefusalClass, item: () => Item): void {
    const isQuiet = (this.quietUntil.peek(appId + keyOf(of)) ?? 0) > performance.now();
    const refused = isQuiet ? this.overflowOf(appId, of) : this.refusedOf(appId, of);
    if (!refused) return;
    refused.count++;
    if (refused.first.length < this.takes(refused.class) && this.items < MOST_WAITING) {
      this.items++;
      refused.first.push(item());
    }
    this.writeAfter(this.settings.batchMs);
  }

  private refusedOf(appId: string, of: RefusalClass, isOverflow = false): Refused<Item> | undefined {
    const ofApp = this.waiting.get(appId) ?? new Map<string, Refused<Item>>();
    const known = ofApp.get(keyOf(of));
    if (known) return known;
    if (!isOverflow && (ofApp.size >= MOST_CLASSES_OF_APP || this.classes >= MOST_WAITING))
      return this.overflowOf(appId, of);
    const refused = { class: of, count: 0, first: [] };
    this.classes++;
    this.waiting.set(appId, ofApp.set(keyOf(of), refused));
    return refused;
  }

  private overflowOf(appId: string, of: RefusalClass): Refused<Item> | undefined {
    const instead = this.overflow?.(of, appId);
    return instead && this.refusedOf(...instead, true);
  }

  private writeAfter(milliseconds: number): void {
    // Not in the context of the request, which may have an open transaction.
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      void runCausedBy(undefined, () => runIn(undefined, () => this.flush()));
    }, milliseconds).unref();
  }

  private async write(): Promise<void> {
    try {
      await this.storeBatches();
      this.makeBatches();
      if (this.batches.length > 0) await this.end();
      await this.storeBatches();
    } catch (error) {
      this.log.warn({ err: { name: (error as Error).name } }, `Refusals were not written yet: ${this.name}.`);
      this.writeAfter(this.settings.retryMs);
    }
  }

  private makeBatches(): void {
    for (const [appId, ofApp] of this.waiting) {
      const refused = [...ofApp.values()];
      for (let first = 0; first < refused.length; first += MOST_PER_BATCH) {
        const batch = refused.slice(first, first + MOST_PER_BATCH);
        this.batches.push({ appId, process: this.id, number: ++this.made, refused: batch });
      }
      for (const [key, { class: of }] of ofApp) if (this.becomesQuiet(of)) this.quietUntil.set(appId + key, Infinity);
    }
    this.waiting = new Map();
    this.classes = 0;
    this.items = 0;
  }

  private async storeBatches(): Promise<void> {
    for (let batch = this.batches[0]; batch; batch = this.batches[0]) {
      const full = await this.counts.store(this, batch);
      this.batches.shift();
      for (const { class: of } of batch.refused)
        if (this.becomesQuiet(of))
          this.quietUntil.set(batch.appId + keyOf(of), performance.now() + (full.get(keyOf(of)) ?? 0) * 1_000);
    }
  }

  /** Refusals of a quiet class go to the overflow. A class that is only counted never becomes quiet. */
  private becomesQuiet(of: RefusalClass): boolean {
    return !this.storeRest && this.takes(of) > 0;
  }
}

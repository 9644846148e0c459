import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { type RefusedRequest, RefusedRequests } from '../../../edge/http/refused-requests.js';
import { Clock } from '../../../kernel/clock.js';
import { newId } from '../../../kernel/ids.js';
import { Log } from '../../../kernel/log.js';
import { runIn } from '../../../postgres/current-transaction.js';
import { NO_APP } from '../../apps/index.js';
import {
  type CallsOfClass,
  entriesOf,
  keyOf,
  MANY,
  PostgresRefusals,
  type RefusalClass,
  WITHOUT_KEY,
} from './postgres-refusals.js';

/** Bounds of the calls that wait, for the time between two writes and for that of an unavailable database. */
const MAX_CLASSES = 1_000;
const MAX_ENTRIES = 5_000;

interface SentCalls {
  readonly calls: ReadonlyMap<string, CallsOfClass>;
  /** The transaction that stores them; undefined before it has begun. */
  transaction?: string;
}

/** Keeps refused calls in memory and writes them in batches, off the request path. A process that is killed loses the last batch. */
@Injectable()
export class BufferedRefusedRequests extends RefusedRequests implements BeforeApplicationShutdown {
  protected readonly settings = { batchMs: 1_000, retryMs: 5_000 };

  private waiting = new Map<string, CallsOfClass>();
  /** Kept apart from the calls that wait: when the answer to COMMIT is lost, they may have been stored. */
  private sent: SentCalls | undefined;
  private keptEntries = 0;
  private timer: NodeJS.Timeout | undefined;
  private writing = Promise.resolve();

  constructor(
    private readonly refusals: PostgresRefusals,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    super();
  }

  note({ appId, keyId, errorType, method, route, requestId, ip, network }: RefusedRequest): void {
    const calls = this.callsOf(
      keyId === null ? WITHOUT_KEY : { appId: appId ?? NO_APP, errorType, actor: keyId, network },
    );
    calls.count++;
    if (this.hasRoom(calls)) {
      this.keptEntries++;
      const target = `${method} ${route}`;
      calls.entries.push({ id: newId('auditEntry'), target, requestId, ip, createdAt: this.clock.now(), errorType });
    }
    this.writeAfter(this.settings.batchMs);
  }

  /** Writes what waits. After a failure it is written later. */
  flush(): Promise<void> {
    this.writing = this.writing.then(() => this.write());
    return this.writing;
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.flush();
    clearTimeout(this.timer);
  }

  /** Classes that stand for several networks have no entries of their own, except the one of all callers without a key. */
  private hasRoom({ class: of, entries }: CallsOfClass): boolean {
    return entries.length < entriesOf(of) && this.keptEntries < MAX_ENTRIES;
  }

  private callsOf(wanted: RefusalClass): CallsOfClass {
    const known = this.waiting.get(keyOf(wanted));
    if (known) return known;
    const isFull = this.waiting.size >= MAX_CLASSES && wanted !== WITHOUT_KEY;
    const refusalClass = isFull ? { ...wanted, appId: NO_APP, actor: MANY, network: MANY } : wanted;
    const calls = this.waiting.get(keyOf(refusalClass)) ?? { class: refusalClass, count: 0, entries: [] };
    this.waiting.set(keyOf(refusalClass), calls);
    return calls;
  }

  private writeAfter(milliseconds: number): void {
    // Not in the context of the request, which may have an open transaction.
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      void runIn(undefined, () => this.flush());
    }, milliseconds).unref();
  }

  private async write(): Promise<void> {
    try {
      await this.settle();
      await this.send();
    } catch (error) {
      this.log.warn({ err: { name: (error as Error).name } }, 'Refused calls were not written to the audit log yet.');
      this.writeAfter(this.settings.retryMs);
    }
  }

  /** Takes back what an earlier write sent, unless it was stored. */
  private async settle(): Promise<void> {
    if (!this.sent) return;
    const { calls, transaction } = this.sent;
    const isStored = transaction !== undefined && (await this.refusals.hasCommitted(transaction));
    this.sent = undefined;
    if (!isStored) this.takeBack(calls);
  }

  private async send(): Promise<void> {
    if (this.waiting.size === 0) return;
    const sent: SentCalls = { calls: this.waiting };
    this.sent = sent;
    this.waiting = new Map();
    this.keptEntries = 0;
    await this.refusals.store([...sent.calls.values()], (transaction) => (sent.transaction = transaction));
    this.sent = undefined;
  }

  private takeBack(batch: ReadonlyMap<string, CallsOfClass>): void {
    for (const calls of batch.values()) {
      const waiting = this.callsOf(calls.class);
      waiting.count += calls.count;
      const room = Math.min(entriesOf(waiting.class) - waiting.entries.length, MAX_ENTRIES - this.keptEntries);
      const entries = calls.entries.slice(0, Math.max(0, room));
      waiting.entries.push(...entries);
      this.keptEntries += entries.length;
    }
  }
}

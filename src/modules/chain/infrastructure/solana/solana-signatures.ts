import type { LostTransfers, NamedTransaction, PaymentSearch } from '../../../../kernel/chain/chain.js';
import { ID_PREFIXES, ID_SUFFIX, type TransferId } from '../../../../kernel/ids.js';
import type { ListedSignature } from './solana-answers.js';
import type { SolanaNode } from './solana-node.js';
import { HistoryMissing } from './solana-rpc.js';

// Finds transactions of an account that name a transfer in their memo. A list counts only when it ends, or reaches an entry older than
// everything searched for. Any account can name both, so only a transaction that the account has paid for counts. Others can also make the
// list long, so a look reads a bounded part and stores the spans that it has read: final entries without a gap, so that none is ever added
// between them. The next look begins at the newest entry and skips these spans. Each page begins with the last entry of the page before it:
// a machine that does not know that entry proves nothing.

/** A wallet that has signed little since needs no more. */
const FIRST_PAGE = 100;
const PAGE = 1000;
const PAGES_OF_LOOK = 20;
/** Other accounts may name a transfer in as many transactions as they like. */
const MOST_READ = 200;
/** A shorter look is repeated instead of stored. */
const STORED_PAGES = 4;
const MOST_SPANS = 50;
/** A list that a node has shown with a gap must not count for longer. */
const SPAN_LIVES_MS = 86_400_000;
/** A block's time is an estimate of the validators. */
const CLOCK_MARGIN_SECONDS = 600;

const TRANSFER_IDS = new RegExp(`${ID_PREFIXES.transfer}_${ID_SUFFIX}`, 'g');

export interface NamingSignatures {
  /** All there are if the list `isWhole`. */
  readonly of: readonly ListedSignature[];
  readonly isWhole: boolean;
  /** The next look begins with more than this one did. */
  readonly hasAdvanced: boolean;
}

interface Span {
  /** The newest final entry; null while there is none. */
  readonly top: string | null;
  /** The entry that precedes the oldest; null: the oldest is the only one. */
  readonly above: string | null;
  readonly bottom: string;
  /** The time of the oldest entry that has one; null: none has. */
  readonly time: number | null;
  /** Milliseconds at which its first entries were read. */
  readonly readAt: number;
}

interface Progress {
  /** Transactions of missing transfers were found if they are not older, in milliseconds; null: none was looked for. */
  readonly lostSince: number | null;
  readonly spans: readonly Span[];
  /** Transactions of the account in these spans that the database may have forgotten. */
  readonly found: readonly ListedSignature[];
  /** The node did not have these transactions, so they may be of another account. */
  readonly unread: readonly ListedSignature[];
}

/** The long looks under way, by endpoint and account: whether they came to the end. */
const LONG_LOOKS = new Map<string, Promise<boolean>>();

/** `isProof`: a node that listed more before proves nothing. */
export function signaturesNaming(
  node: SolanaNode,
  source: string,
  ids: readonly string[],
  search: PaymentSearch,
  isProof: boolean,
): Promise<NamingSignatures> {
  return new Look(node, source, ids, search).run(isProof);
}

class Look {
  private readonly oldest: Date;
  private readonly found = new Map<string, ListedSignature>();
  private readonly unread = new Set<string>();
  private reads = 0;
  private readonly startedAt = Date.now();
  /** The entries from the newest on that this look has read, with the spans that it has met. */
  private current: Span | null = null;
  private spans: readonly Span[] = [];
  private lostSince: number | null;
  private version = 0;
  private isLong = false;
  private hasAdvanced = false;

  constructor(
    private readonly node: SolanaNode,
    private readonly source: string,
    private readonly ids: readonly string[],
    private readonly search: PaymentSearch,
  ) {
    const { since, lost } = search;
    this.oldest = lost && lost.since < since ? lost.since : since;
    this.lostSince = lost?.since.getTime() ?? null;
  }

  async run(isProof: boolean): Promise<NamingSignatures> {
    const entries = await this.firstPage();
    this.isLong = entries.length === FIRST_PAGE && !isBefore(entries.at(-1)!, this.oldest);
    if (!this.isLong) {
      await this.readDown(entries);
      if (isProof) await this.assertReaches(entries);
      return this.result(true);
    }
    const key = `${this.node.digest} ${this.source}`;
    const underWay = LONG_LOOKS.get(key);
    // All transfers of a wallet may be looked at simultaneously: only the first look reads on.
    if (underWay) return (await underWay) ? this.readLong(await this.firstPage()) : this.result(false);
    const look = this.readLong(entries);
    const isWhole = look.then((found) => found.isWhole).catch(() => false);
    LONG_LOOKS.set(key, isWhole);
    return look.finally(() => LONG_LOOKS.delete(key));
  }

  private firstPage(): Promise<ListedSignature[]> {
    return this.node.signaturesOf(this.source, FIRST_PAGE);
  }

  private async readLong(entries: readonly ListedSignature[]): Promise<NamingSignatures> {
    await this.load();
    try {
      return await this.readOn(entries);
    } catch (error) {
      // A node that limits the rate of calls must not make each look begin anew.
      await this.store().catch(() => false);
      throw error;
    }
  }

  private async readOn(first: readonly ListedSignature[]): Promise<NamingSignatures> {
    let entries = first;
    for (let page = 1; ; page++) {
      const isRead = await this.readDown(entries);
      if (isRead && isBefore(this.current!, this.oldest)) return this.result(true);
      const isOver = !isRead || page === PAGES_OF_LOOK;
      // If another process has stored meanwhile, it reads on.
      if ((isOver || page >= STORED_PAGES) && !(await this.store())) return this.result(false);
      if (isOver) return this.result(false);
      entries = await this.entriesBelow(this.current!);
      if (entries.length === 0) return this.result(true);
    }
  }

  private async entriesBelow({ above, bottom }: Span): Promise<ListedSignature[]> {
    const [overlap, ...below] = await this.node.signaturesOf(this.source, PAGE, above!);
    if (overlap?.hash !== bottom) throw new HistoryMissing();
    return below;
  }

  /** Stops at the first entry that a span begins with. False when too many are to be read. */
  private async readDown(entries: readonly ListedSignature[]): Promise<boolean> {
    const candidates = await this.candidatesAmong(entries);
    for (const entry of entries) {
      const met = this.spans.findIndex(({ top }) => top === entry.hash);
      if (met !== -1) {
        const span = this.spans[met]!;
        this.current = { ...span, top: this.current?.top ?? span.top, readAt: Math.min(span.readAt, this.startedAt) };
        this.spans = this.spans.slice(met + 1);
        return true;
      }
      if (candidates.has(entry.hash) && !this.found.has(entry.hash)) {
        if (this.isLong && Math.max(this.reads, this.unread.size) >= MOST_READ) return false;
        await this.readPayer(entry);
      }
      const { top = null, bottom = null, readAt = this.startedAt } = this.current ?? {};
      this.current = {
        top: top ?? (entry.isFinal ? entry.hash : null),
        above: bottom,
        bottom: entry.hash,
        time: entry.time ?? this.current?.time ?? null,
        readAt,
      };
    }
    return true;
  }

  private async readPayer(entry: ListedSignature): Promise<void> {
    this.reads++;
    const read = await this.node.signedTransaction(entry.hash, 'confirmed');
    if (read === null) this.unread.add(entry.hash);
    if (read === null || read.payer === this.source) this.found.set(entry.hash, entry);
  }

  /** A list that ends above entries which the node has listed before is of a machine that lags or has deleted them. */
  private async assertReaches(entries: readonly ListedSignature[]): Promise<void> {
    const stored = await this.search.progress?.load(this.node.digest);
    const [span] = ((stored?.progress ?? { spans: [] }) as unknown as Progress).spans;
    if (span && span.time !== null && !isBefore(span, this.oldest) && !entries.some(({ hash }) => hash === span.top))
      throw new HistoryMissing();
  }

  /** They may make a payment that the database has forgotten. */
  private async candidatesAmong(entries: readonly ListedSignature[]): Promise<ReadonlySet<string>> {
    const { known, lost, progress } = this.search;
    const unknown = entries.filter(({ hash }) => !known.includes(hash));
    const own = unknown.filter((entry) => this.names(entry));
    const rest = unknown.filter((entry) => !own.includes(entry)).flatMap(namedIn);
    const candidates = new Set(own.map(({ hash }) => hash));
    if (rest.length === 0) return candidates;
    if (this.isLong && progress) {
      // The stored part must hold for every later question too.
      const { ofOpen, ofMissing } = await progress.forgotten(rest);
      for (const hash of ofOpen) candidates.add(hash);
      const { lostSince } = this;
      if (lostSince === null) return candidates;
      const early = new Set(entries.filter((entry) => isBefore(entry, new Date(lostSince))).map(({ hash }) => hash));
      for (const hash of ofMissing) if (!early.has(hash)) candidates.add(hash);
      return candidates;
    }
    if (lost) for (const hash of await hashesOfLost(unknown, lost)) candidates.add(hash);
    return candidates;
  }

  private names({ memo }: ListedSignature): boolean {
    return this.ids.some((id) => memo.includes(id));
  }

  private async result(isWhole: boolean): Promise<NamingSignatures> {
    const { known, lost } = this.search;
    const unknown = [...this.found.values()].filter(({ hash }) => !known.includes(hash));
    const rest = unknown.filter((entry) => !this.names(entry));
    const losses = lost ? await hashesOfLost(rest, lost) : new Set();
    const of = unknown.filter((entry) => this.names(entry) || losses.has(entry.hash));
    return { of, isWhole, hasAdvanced: this.hasAdvanced };
  }

  private async load(): Promise<void> {
    const stored = await this.search.progress?.load(this.node.digest);
    if (!stored) return;
    this.version = stored.version;
    const { lostSince, spans, found, unread } = stored.progress as unknown as Progress;
    // The stored search did not look for all transfers that are missing now.
    if (this.lostSince !== null && (lostSince === null || lostSince > this.lostSince)) return;
    this.lostSince = lostSince;
    this.spans = spans.filter(({ readAt }) => readAt > this.startedAt - SPAN_LIVES_MS);
    for (const entry of found) this.found.set(entry.hash, entry);
    for (const entry of unread) await this.readPayer(entry);
  }

  /** False when another process has stored since `load`. */
  private async store(): Promise<boolean> {
    const { current, lostSince } = this;
    // A position must be final too, or the node may lose it.
    const isStorable = current !== null && current.top !== null && current.top !== current.bottom;
    if (!isStorable || !this.search.progress) return true;
    const final = [...this.found.values()].filter(({ isFinal }) => isFinal);
    const found = final.filter(({ hash }) => !this.unread.has(hash));
    const unread = final.filter(({ hash }) => this.unread.has(hash));
    const progress = { lostSince, spans: [current, ...this.spans].slice(0, MOST_SPANS), found, unread };
    const isStored = await this.search.progress.store(this.node.digest, progress, this.version);
    if (isStored) this.version++;
    this.hasAdvanced ||= isStored;
    return isStored;
  }
}

function namedIn({ hash, memo }: ListedSignature): NamedTransaction[] {
  return [...memo.matchAll(TRANSFER_IDS)].map(([id]) => ({ hash, id: id as TransferId }));
}

async function hashesOfLost(entries: readonly ListedSignature[], lost: LostTransfers): Promise<ReadonlySet<string>> {
  const named = entries.filter((entry) => !isBefore(entry, lost.since)).flatMap(namedIn);
  if (named.length === 0) return new Set();
  const missing = await lost.among(named.map(({ id }) => id));
  return new Set(named.filter(({ id }) => missing.includes(id)).map(({ hash }) => hash));
}

/** Epoch seconds before which no entry matters. */
export function oldestOf(since: Date): number {
  return since.getTime() / 1000 - CLOCK_MARGIN_SECONDS;
}

function isBefore({ time }: Pick<ListedSignature, 'time'>, since: Date): boolean {
  return time !== null && time < oldestOf(since);
}

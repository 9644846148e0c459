import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import { ServiceKeys } from '../../../kernel/service-keys.js';
import { BrokenLink, ChainCheck } from '../domain/chain-check.js';
import { LINK_KEY, macOfLink } from '../domain/chain-link.js';
import { ChainReader } from '../domain/chain-reader.js';
import type { IsSigned, DueCuts } from '../domain/checkpoint.js';
import { isEqual } from '../domain/encoding.js';
import type { ChainEnd, KnownHead } from '../domain/service-head.js';
import { linesOf } from './export-chains.js';

export interface HowToCheck {
  /** Without it, the whole chain is checked. */
  readonly resumeAt?: ChainEnd | null;
  readonly dueCuts?: DueCuts;
  /** The end may then have been without a checkpoint for any time. */
  readonly isToBeSigned?: boolean;
  readonly onEntry?: (check: ChainCheck) => void;
  readonly onUnchained?: (entries: number) => void;
}

@Injectable()
export class CheckChain {
  constructor(
    private readonly reader: ChainReader,
    private readonly clock: Clock,
    private readonly keys: ServiceKeys,
  ) {}

  /** @param known null where no head can be compared. */
  begin(appId: string, isSigned: IsSigned, known: KnownHead | null): ChainCheck {
    return new ChainCheck(appId, {
      isSigned,
      isKeyed: (hash, mac) => macOfLink(this.keys.derive(LINK_KEY), hash).equals(mac),
      head: known && { seq: known.seq, end: known.ends.get(appId) ?? null },
    });
  }

  async *chains(known: KnownHead | null): AsyncGenerator<string> {
    const named = new Set(known?.ends.keys());
    for await (const appId of this.reader.chains()) {
      named.delete(appId);
      yield appId;
    }
    yield* named;
  }

  async *changed(known: KnownHead, broken: ReadonlySet<string>): AsyncGenerator<string> {
    const named = new Set([...known.ends.keys(), ...broken]);
    for await (const { appId, lastNumber, lastHash, lastCheckpoint } of this.reader.heads()) {
      named.delete(appId);
      const end = known.ends.get(appId);
      const isSame = end?.number === lastNumber && end.seq === lastCheckpoint && isEqual(end.hash, lastHash);
      if (!isSame || broken.has(appId)) yield appId;
    }
    yield* named;
  }

  async execute(appId: string, check: ChainCheck, named: ChainEnd | null, how: HowToCheck = {}): Promise<void> {
    const { head, lastNumber, lastCheckpoint, unchained, misplaced } = await this.reader.find(appId);
    how.onUnchained?.(unchained);
    if (misplaced > 0) throw new BrokenLink(0, `${misplaced} entries have a number below 1.`);
    if (!head) {
      if (lastNumber > 0 || lastCheckpoint > 0) throw new BrokenLink(lastNumber, 'The head of the chain is missing.');
      if (!named && (unchained > 0 || appId === '')) return;
      throw new BrokenLink(1, 'The whole chain is missing. The chain of an app begins with the creation of the app.');
    }
    const { resumeAt, dueCuts } = how;
    if (resumeAt) await this.resume(appId, check, resumeAt, lastCheckpoint);
    for await (const line of linesOf(this.reader, appId, resumeAt?.number ?? 0)) {
      const before = check.hash;
      if (line.type === 'entry') {
        // The next check reads the entries that were added since `find`.
        if (line.link.number > lastNumber) break;
        check.link(line.link);
        dueCuts?.link(line.link, before);
        how.onEntry?.(check);
      } else if (line.type === 'cut') {
        check.removed(line.cut);
        dueCuts?.cut(line.cut, before);
      } else if (line.type === 'checkpoint' && line.checkpoint.seq <= lastCheckpoint) check.checkpoint(line.checkpoint);
    }
    check.end(head, how.isToBeSigned ? null : this.clock.now());
    dueCuts?.end();
  }

  private async resume(appId: string, check: ChainCheck, end: ChainEnd, lastCheckpoint: number): Promise<void> {
    if (lastCheckpoint < end.seq)
      throw new BrokenLink(end.number, `Checkpoint ${end.seq}, which the head of the service names, is missing.`);
    const hash = end.number === 0 ? end.hash : await this.reader.hashAt(appId, end.number);
    if (!hash || !isEqual(hash, end.hash))
      throw new BrokenLink(end.number, 'The entry that the head of the service names is missing, or its hash differs.');
    check.resumeAt(end);
  }
}

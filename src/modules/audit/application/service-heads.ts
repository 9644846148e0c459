import { Injectable } from '@nestjs/common';
import { AuditHeads } from '../domain/audit-heads.js';
import { BrokenLink } from '../domain/chain-check.js';
import { NO_LINK } from '../domain/chain-link.js';
import { type IsSigned, messageOfCheckpoint } from '../domain/checkpoint.js';
import { isEqual } from '../domain/encoding.js';
import { hashOfHead, headOf, type KnownHead, messageOfHead, type ServiceHead } from '../domain/service-head.js';

/** The number of a `BrokenLink` is here that of a head. */
@Injectable()
export class ServiceHeads {
  constructor(private readonly heads: AuditHeads) {}

  async isNew(): Promise<boolean> {
    if (await this.heads.last()) return false;
    const { hasApps, hasLinks, hasNamed, former } = await this.heads.history();
    return !hasApps && !hasLinks && !hasNamed && !former;
  }

  async last(isSigned: IsSigned): Promise<KnownHead | null> {
    const head = await this.heads.last();
    if (head) {
      this.requireSigned(head, isSigned);
      const { digest } = headOf(head.ends, head.seq, head.previous, head.at);
      if (!isEqual(digest, head.digest))
        throw new BrokenLink(head.seq, 'The ends of the chains that this head names were changed.');
      return head;
    }
    if (!(await this.isNew()) && !(await this.isOfFormerRelease(isSigned)))
      throw new BrokenLink(1, 'The signed head of the service is missing.');
    return null;
  }

  async follow(known: ServiceHead | null, isSigned: IsSigned): Promise<void> {
    let seq = known?.seq ?? 1;
    let previous: Uint8Array | null = known ? null : NO_LINK;
    for await (const head of this.heads.from(seq)) {
      if (head.seq !== seq) throw new BrokenLink(seq, `The head is missing. The next one is ${head.seq}.`);
      this.requireSigned(head, isSigned);
      const isKnown = previous ? isEqual(head.previous, previous) : isEqual(hashOfHead(head), hashOfHead(known!));
      if (!isKnown)
        throw new BrokenLink(seq, previous ? 'The head names another predecessor.' : 'The head is not the known one.');
      previous = hashOfHead(head);
      seq++;
    }
    if (seq === known?.seq)
      throw new BrokenLink(seq, 'The head is known and missing: the database was set back to an earlier state.');
  }

  /** Checks that the heads reach the newest one that is kept outside the audit tables. */
  async followNewest(isSigned: IsSigned): Promise<void> {
    const newest = await this.heads.newest();
    if (!newest) return;
    this.requireSigned(newest, isSigned);
    await this.follow(newest, isSigned);
  }

  async requireStored(seq: number): Promise<void> {
    const last = await this.heads.last();
    if ((last?.seq ?? 0) < seq) throw new BrokenLink(seq, 'Checkpoints name the head, and it is missing.');
  }

  /** This release signs no such checkpoints, so one proves that the database is from the release before keyed links. */
  private async isOfFormerRelease(isSigned: IsSigned): Promise<boolean> {
    const { hasNamed, former } = await this.heads.history();
    return !hasNamed && former !== null && isSigned(messageOfCheckpoint(former.appId, former), former);
  }

  private requireSigned(head: ServiceHead, isSigned: IsSigned): void {
    if (!isSigned(messageOfHead(head), head))
      throw new BrokenLink(head.seq, `The head was changed, or its key ${head.keyId} is unknown or does not open.`);
  }
}

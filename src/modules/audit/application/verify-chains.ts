import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import { BrokenLink, ChainCheck } from '../domain/chain-check.js';
import { ChainReader } from '../domain/chain-reader.js';
import { isSignedBy } from '../domain/checkpoint.js';
import { AuditKeys } from './audit-keys.js';
import { linesOf } from './lines-of-chain.js';
import { type Findings, Verification } from './verification.js';

/** Recomputes chains from the tables, chain by chain, in constant memory. */
@Injectable()
export class VerifyChains {
  constructor(
    private readonly reader: ChainReader,
    private readonly keys: AuditKeys,
    private readonly clock: Clock,
  ) {}

  /** All chains, or that of one app; empty text stands for the chain of no app. */
  async execute(appId: string | null, progress: (line: string) => void): Promise<Findings> {
    const keys = await this.keys.publicKeys();
    const verification = new Verification(progress);
    const chains = appId === null ? this.reader.chains() : [appId];
    for await (const chain of chains) {
      const check = new ChainCheck(chain, (ofApp, checkpoint) => {
        const key = keys.get(checkpoint.keyId);
        return key !== undefined && isSignedBy(ofApp, checkpoint, key);
      });
      await verification.of(chain, check, () => this.verify(chain, check, verification));
    }
    return verification.findings;
  }

  private async verify(appId: string, check: ChainCheck, verification: Verification): Promise<void> {
    const { head, lastNumber, lastCheckpoint, unchained, misplaced } = await this.reader.find(appId);
    verification.findings.unchained += unchained;
    if (misplaced > 0) throw new BrokenLink(0, `${misplaced} entries have a number below 1.`);
    if (!head) {
      if (lastNumber > 0 || lastCheckpoint > 0) throw new BrokenLink(lastNumber, 'The head of the chain is missing.');
      if (unchained > 0 || appId === '') return;
      throw new BrokenLink(1, 'The whole chain is missing. The chain of an app begins with the creation of the app.');
    }
    for await (const line of linesOf(this.reader, appId, 0)) {
      if (line.type === 'entry') {
        // What was added since `find` is left to the next check.
        if (line.link.number > lastNumber) break;
        check.link(line.link);
        verification.advance(appId, check);
      }
      if (line.type === 'checkpoint' && line.checkpoint.seq <= lastCheckpoint) check.checkpoint(line.checkpoint);
    }
    check.end(head, this.clock.now());
  }
}

import { Injectable } from '@nestjs/common';
import type { ServiceHead } from '../domain/service-head.js';
import { AuditKeys } from './audit-keys.js';
import { CheckChain } from './check-chain.js';
import { ServiceHeads } from './service-heads.js';
import { type Findings, HEAD, Verification } from './verification.js';

/** Verifies the heads of the service and the chains, from their beginning. */
@Injectable()
export class VerifyChains {
  constructor(
    private readonly heads: ServiceHeads,
    private readonly checkChain: CheckChain,
    private readonly keys: AuditKeys,
  ) {}

  /**
   * All chains, or that of one app; empty text stands for the chain of no app.
   * @param logged a head from the log: the database must descend from its state.
   */
  async execute(
    appId: string | null,
    progress: (line: string) => void,
    logged: ServiceHead | null = null,
  ): Promise<Findings> {
    const isSigned = await this.keys.isSigned();
    const verification = new Verification(progress);
    const known = await verification.attempt(HEAD, async () => {
      await this.heads.follow(null, isSigned);
      if (logged) await this.heads.follow(logged, isSigned);
      return this.heads.last(isSigned);
    });
    let newestHead = 0;
    for await (const chain of appId === null ? this.checkChain.chains(known ?? null) : [appId]) {
      const check = this.checkChain.begin(chain, isSigned, known ?? null);
      await verification.attempt(chain, () =>
        this.checkChain.execute(chain, check, known?.ends.get(chain) ?? null, {
          onEntry: () => verification.advance(chain, check),
          onUnchained: (entries) => (verification.findings.unchained += entries),
        }),
      );
      verification.count(check);
      newestHead = Math.max(newestHead, check.newestHead);
    }
    if (known !== undefined) await verification.attempt(HEAD, () => this.heads.requireStored(newestHead));
    return verification.findings;
  }
}

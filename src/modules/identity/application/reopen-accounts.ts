import { Injectable } from '@nestjs/common';
import { inTurn } from '../../../kernel/collections.js';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { Log } from '../../../kernel/log.js';
import { Transactions } from '../../../kernel/transactions.js';
import { ClosedAccountRepository } from '../domain/closed-account.repository.js';
import { UserRepository } from '../domain/user.repository.js';

const PORTION = 200;

/**
 * Reopens accounts that earlier releases closed because an app had written a name or a second address. A call may have read the account as
 * closed, so there are two steps: a `reopening` account is open to acts, which close it, and closed to proofs. The next pass opens it, if
 * still no module has a record of its use.
 */
@Injectable()
export class ReopenAccounts {
  constructor(
    private readonly closed: ClosedAccountRepository,
    private readonly users: UserRepository,
    private readonly transactions: Transactions,
    private readonly log: Log,
  ) {}

  /** One pass in portions, each account in a transaction of its own. Does nothing while a replica of an earlier release is connected. */
  async execute(): Promise<void> {
    if (await this.closed.hasOlderReplica()) return;
    const counts = { reopened: 0, reopening: 0, remaining: 0 };
    await inTurn(this.candidates(), async ([appId, userId]) => counts[await this.reopen(appId, userId)]++);
    if (counts.reopened + counts.reopening + counts.remaining > 0)
      this.log.info(counts, 'accounts without a proved sign-in method that an earlier release closed');
  }

  private async *candidates(): AsyncGenerator<readonly [AppId, UserId]> {
    for await (const appId of this.closed.apps())
      for (let after = ''; ;) {
        const page = await this.closed.next(appId, after, PORTION);
        for (const userId of page) yield [appId, userId];
        if (page.length < PORTION) break;
        after = page.at(-1)!;
      }
  }

  private async reopen(appId: AppId, userId: UserId): Promise<'reopened' | 'reopening' | 'remaining'> {
    if (!(await this.closed.isProvenUnused(appId, userId))) return 'remaining';
    return this.transactions.run(async () => {
      const user = await this.users.lockIfLive(appId, userId);
      const { verified } = await this.users.credentialCounts(appId, userId);
      // Locked, so no use is under way.
      if (!user || verified > 0 || !(await this.closed.isProvenUnused(appId, userId))) return 'remaining';
      return (await this.closed.advance(appId, userId)) ?? 'remaining';
    });
  }
}

import type { Clock } from '../../../src/kernel/clock.js';
import type { AppId, UserId } from '../../../src/kernel/ids.js';
import type { TokenHash } from '../../../src/kernel/secret-tokens.js';
import {
  type Challenge,
  CHALLENGE_SECONDS,
  type ChallengePurpose,
  ChallengeRepository,
} from '../../../src/modules/passkey/domain/authenticators.js';
import type { InMemoryTransactions, Rows } from './in-memory-transactions.js';

interface Row {
  readonly appId: AppId;
  readonly challenge: Challenge;
  readonly expiresAt: number;
}

export class InMemoryChallengeRepository extends ChallengeRepository {
  private readonly rows: Rows<Row>;

  constructor(
    transactions: InMemoryTransactions,
    private readonly clock: Clock,
  ) {
    super();
    this.rows = transactions.rows<Row>();
  }

  async add(appId: AppId, challenge: Challenge): Promise<void> {
    this.rows.add({ appId, challenge, expiresAt: this.clock.now().getTime() + CHALLENGE_SECONDS * 1000 });
  }

  async spend(appId: AppId, hash: TokenHash, purpose: ChallengePurpose, userId: UserId): Promise<Challenge | null> {
    const isMeant = ({ challenge, ...row }: Row): boolean =>
      row.appId === appId &&
      challenge.hash.equals(hash) &&
      challenge.purpose === purpose &&
      (challenge.userId === null || challenge.userId === userId) &&
      row.expiresAt > this.clock.now().getTime();
    const found = this.rows.one(isMeant);
    this.rows.remove(isMeant);
    return found?.challenge ?? null;
  }

  removeAllOf(appId: AppId, userId: UserId): void {
    this.rows.remove((row) => row.appId === appId && row.challenge.userId === userId);
  }
}

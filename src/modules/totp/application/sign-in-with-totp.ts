import { Injectable } from '@nestjs/common';
import type { AppId, TotpId, UserId } from '../../../kernel/ids.js';
import { WrongTries } from '../../../kernel/limits.js';
import { Transactions } from '../../../kernel/transactions.js';
import { UserInactive, UserNotFound } from '../../identity/index.js';
import { InvalidSession, type IssuedSession, type SessionArguments, SessionFacade } from '../../session/index.js';
import type { InvalidRecoveryCode, InvalidTotp } from '../domain/totp.errors.js';
import { TotpRepository } from '../domain/totp.repository.js';
import type { Totp } from '../domain/totp.js';

/** A code of the authenticator or a recovery code, as the caller presented it. */
export interface TotpProof {
  readonly deliveryChannel: 'totp_authenticator' | 'totp_recovery_code';
  readonly Refusal: typeof InvalidTotp | typeof InvalidRecoveryCode;
  /** Returns how to spend the code, or null when it is wrong. */
  compare(totp: Totp): Spending | null;
}

/** Spends the code in the current transaction; false when another call spent it first. */
type Spending = () => Promise<boolean>;

/** A code that was right and is now spent. */
export interface VerifiedTotp {
  readonly totpId: TotpId;
  readonly userId: UserId;
  readonly session: IssuedSession | null;
}

/** The verification that codes of the authenticator and recovery codes have in common. */
@Injectable()
export class SignInWithTotp {
  constructor(
    private readonly totps: TotpRepository,
    private readonly tries: WrongTries,
    private readonly sessions: SessionFacade,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Checks the session arguments, counts the try, and compares. Then one transaction spends the code and adds the factor. A
   * try stays counted unless all of this succeeds.
   */
  async execute(
    appId: AppId,
    userId: UserId,
    proof: TotpProof,
    sessionArguments: SessionArguments,
  ): Promise<VerifiedTotp> {
    const intent = await this.sessions.resolve(appId, sessionArguments);
    if (intent.userId !== null && intent.userId !== userId) throw new InvalidSession();

    const { owner, totp } = await this.totps.tryOf(appId, userId);
    if (owner === 'unknown') throw new UserNotFound();
    if (owner === 'inactive') throw new UserInactive();
    if (!totp) throw new proof.Refusal();
    const attempt = await this.tries.begin(appId, userId);

    const spend = proof.compare(totp);
    if (!spend) throw new proof.Refusal();
    const session = await this.transactions.run(async () => {
      if (!(await spend())) throw new proof.Refusal();
      await this.tries.giveBack(attempt);
      return this.sessions.addFactor(appId, intent, userId, {
        type: 'totp',
        deliveryChannel: proof.deliveryChannel,
        method: { type: 'totp', totpId: totp.id },
      });
    });
    return { totpId: totp.id, userId, session };
  }
}

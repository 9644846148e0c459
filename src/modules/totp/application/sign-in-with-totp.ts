import { Injectable } from '@nestjs/common';
import type { AppId, TotpId, UserId } from '../../../kernel/ids.js';
import { WrongTries } from '../../../kernel/limits.js';
import { Transactions } from '../../../kernel/transactions.js';
import { UserInactive, UserNotFound } from '../../identity/index.js';
import { InvalidSession, type IssuedSession, type SessionArguments, SessionFacade } from '../../session/index.js';
import type { InvalidRecoveryCode, InvalidTotp } from '../domain/totp.errors.js';
import { TotpRepository } from '../domain/totp.repository.js';
import type { Totp } from '../domain/totp.js';

/** What somebody shows to be the user: a code of the authenticator, or a recovery code. */
export interface TotpProof {
  readonly deliveryChannel: 'totp_authenticator' | 'totp_recovery_code';
  readonly Refusal: typeof InvalidTotp | typeof InvalidRecoveryCode;
  /** Compares: how to spend what was shown, or null when it is wrong. */
  compare(totp: Totp): Spending | null;
}

/** Spends in the current transaction; false when somebody else was first. */
type Spending = () => Promise<boolean>;

/** A proof that was right, once. */
export interface VerifiedTotp {
  readonly totpId: TotpId;
  readonly userId: UserId;
  readonly session: IssuedSession | null;
}

/** What a code of the authenticator and a recovery code have in common. */
@Injectable()
export class SignInWithTotp {
  constructor(
    private readonly totps: TotpRepository,
    private readonly tries: WrongTries,
    private readonly sessions: SessionFacade,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Looks at the session arguments, counts the try, compares, and then spends the proof and adds the factor together. A
   * try stays counted unless all of it succeeds.
   */
  async execute(appId: AppId, userId: UserId, proof: TotpProof, asked: SessionArguments): Promise<VerifiedTotp> {
    const intent = await this.sessions.resolve(appId, asked);
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

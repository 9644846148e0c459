import { Injectable } from '@nestjs/common';
import type { AppId, TotpId, UserId } from '../../../kernel/ids.js';
import { WrongTries } from '../../../kernel/limits.js';
import { DomainEvents } from '../../../kernel/domain-events.js';
import { Transactions } from '../../../kernel/transactions.js';
import { IdentityFacade, UserInactive, UserNotFound } from '../../identity/index.js';
import {
  InvalidSession,
  type IssuedSession,
  requireExpected,
  type SessionArguments,
  SessionFacade,
} from '../../session/index.js';
import { OneTimeCodes, positionOf, TotpRepository, type Totp } from '../domain/totp.js';
import { InvalidRecoveryCode, InvalidTotp } from '../domain/totp.errors.js';
import { TotpActivated } from '../domain/totp.events.js';
import { TotpSecrets } from './totp-secrets.js';

export type TotpProof = { readonly code: string } | { readonly recoveryCode: string };

/** Null when another call spent the code first. */
type Spending = () => Promise<{ readonly isActivation: boolean } | null>;

export interface VerifiedTotp {
  readonly totpId: TotpId;
  readonly userId: UserId;
  readonly session: IssuedSession | null;
}

@Injectable()
export class SignInWithTotp {
  constructor(
    private readonly totps: TotpRepository,
    private readonly secrets: TotpSecrets,
    private readonly codes: OneTimeCodes,
    private readonly tries: WrongTries,
    private readonly sessions: SessionFacade,
    private readonly identity: IdentityFacade,
    private readonly transactions: Transactions,
    private readonly events: DomainEvents,
  ) {}

  /** The try stays counted unless all checks succeed. The first code activates a pending enrolment, by the rule of `StepUp`. */
  async execute(
    appId: AppId,
    userId: UserId,
    proof: TotpProof,
    sessionArguments: SessionArguments,
  ): Promise<VerifiedTotp> {
    const [deliveryChannel, Refusal] =
      'code' in proof
        ? (['totp_authenticator', InvalidTotp] as const)
        : (['totp_recovery_code', InvalidRecoveryCode] as const);
    const intent = await this.sessions.resolve(appId, sessionArguments);
    if (intent.userId !== null && intent.userId !== userId) throw new InvalidSession();
    // Before the try is counted.
    requireExpected(intent, userId);

    const carried = this.sessions.carriedBy(appId, intent);
    // The try is not counted yet. The enrolment may become pending or active meanwhile; the transaction decides.
    if (carried && 'code' in proof && (await this.totps.ofUser(appId, userId)).totp?.isActive === false)
      await this.identity.requireMayAdd(appId, userId, carried);
    const { owner, totp } = await this.totps.tryOf(appId, userId);
    if (owner === 'unknown') throw new UserNotFound();
    if (owner === 'inactive') throw new UserInactive();
    if (!totp) throw new Refusal(userId);
    await this.secrets.ready(appId, totp);
    const attempt = await this.tries.begin(appId, userId, sessionArguments.deviceFingerprint?.ip);

    const compared = this.compare(totp, proof);
    if (!compared) throw new Refusal(userId, { reason: 'wrong' });
    const spend = totp.isActive
      ? compared
      : () => this.identity.addSignInMethod(appId, userId, { type: 'totp', session: carried }, compared);
    const session = await this.transactions.run(async () => {
      const spent = await spend();
      if (!spent) throw new Refusal(userId, { reason: 'spent' });
      this.tries.giveBack(attempt);
      const factor = { type: 'totp', deliveryChannel, method: { type: 'totp', totpId: totp.id } };
      return this.sessions.addFactor(appId, intent, userId, factor, { isAdded: spent.isActivation });
    });
    return { totpId: totp.id, userId, session };
  }

  private compare(totp: Totp, proof: TotpProof): Spending | null {
    if ('code' in proof) {
      const step = this.codes.stepOf(proof.code, this.secrets.secretOf(totp), totp.asOf);
      return step === null ? null : () => this.spendStep(totp, step);
    }
    const position = positionOf(proof.recoveryCode, this.secrets.recoveryCodesOf(totp));
    if (position === -1) return null;
    return async () => ((await this.totps.spendRecoveryCode(totp, position)) ? { isActivation: false } : null);
  }

  private async spendStep(totp: Totp, step: number): ReturnType<Spending> {
    const spent = await this.totps.spendStep(totp, step);
    if (spent?.isActivation) await this.events.publish(new TotpActivated(totp.appId, totp.id, totp.userId));
    return spent;
  }
}

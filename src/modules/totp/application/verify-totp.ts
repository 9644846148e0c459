import { Injectable } from '@nestjs/common';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/outbox.js';
import type { SessionArguments } from '../../session/index.js';
import { OneTimeCodes } from '../domain/one-time-codes.js';
import { InvalidTotp } from '../domain/totp.errors.js';
import { TotpActivated } from '../domain/totp.events.js';
import { TotpRepository } from '../domain/totp.repository.js';
import type { Totp } from '../domain/totp.js';
import { SignInWithTotp, type VerifiedTotp } from './sign-in-with-totp.js';
import { TotpSecrets } from './totp-secrets.js';

@Injectable()
export class VerifyTotp {
  constructor(
    private readonly signIn: SignInWithTotp,
    private readonly totps: TotpRepository,
    private readonly secrets: TotpSecrets,
    private readonly codes: OneTimeCodes,
    private readonly events: DomainEvents,
  ) {}

  /** Accepts a code of the user's authenticator, once per time step. The first code activates a pending enrolment. */
  execute(appId: AppId, userId: UserId, code: string, sessionArguments: SessionArguments): Promise<VerifiedTotp> {
    const compare = (totp: Totp) => {
      const step = this.codes.stepOf(code, this.secrets.secretOf(totp), totp.asOf);
      return step === null ? null : () => this.spend(totp, step);
    };
    const proof = { deliveryChannel: 'totp_authenticator', Refusal: InvalidTotp, compare } as const;
    return this.signIn.execute(appId, userId, proof, sessionArguments);
  }

  private async spend(totp: Totp, step: number): Promise<boolean> {
    const spent = await this.totps.spendStep(totp, step);
    if (spent?.isActivation) await this.events.publish(new TotpActivated(totp.appId, totp.id, totp.userId));
    return spent !== null;
  }
}

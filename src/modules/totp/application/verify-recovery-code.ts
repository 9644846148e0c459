import { Injectable } from '@nestjs/common';
import type { AppId, UserId } from '../../../kernel/ids.js';
import type { SessionArguments } from '../../session/index.js';
import { positionOf } from '../domain/recovery-codes.js';
import { InvalidRecoveryCode } from '../domain/totp.errors.js';
import { TotpRepository } from '../domain/totp.repository.js';
import type { Totp } from '../domain/totp.js';
import { SignInWithTotp, type VerifiedTotp } from './sign-in-with-totp.js';
import { TotpSecrets } from './totp-secrets.js';

@Injectable()
export class VerifyRecoveryCode {
  constructor(
    private readonly signIn: SignInWithTotp,
    private readonly totps: TotpRepository,
    private readonly secrets: TotpSecrets,
  ) {}

  /** Accepts a recovery code of an active authenticator, once. */
  execute(appId: AppId, userId: UserId, code: string, sessionArguments: SessionArguments): Promise<VerifiedTotp> {
    const compare = (totp: Totp) => {
      const position = positionOf(code, this.secrets.recoveryCodesOf(totp));
      return position === -1 ? null : () => this.totps.spendRecoveryCode(totp, position);
    };
    const proof = { deliveryChannel: 'totp_recovery_code', Refusal: InvalidRecoveryCode, compare } as const;
    return this.signIn.execute(appId, userId, proof, sessionArguments);
  }
}

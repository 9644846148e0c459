import { Injectable } from '@nestjs/common';
import type { AppId, TotpId, UserId } from '../../../kernel/ids.js';
import { UserNotFound } from '../../identity/index.js';
import { TotpRepository } from '../domain/totp.js';
import { TotpSecrets } from './totp-secrets.js';

/** An authenticator with its unused recovery codes. */
export interface UnusedRecoveryCodes {
  readonly id: TotpId;
  readonly isActive: boolean;
  readonly recoveryCodes: readonly string[];
}

@Injectable()
export class ListRecoveryCodes {
  constructor(
    private readonly totps: TotpRepository,
    private readonly secrets: TotpSecrets,
  ) {}

  /** The unused codes of the user's authenticator; null when the user has no authenticator. */
  async execute(appId: AppId, userId: UserId): Promise<UnusedRecoveryCodes | null> {
    const { owner, totp } = await this.totps.ofUser(appId, userId);
    if (owner === 'unknown') throw new UserNotFound();
    if (!totp) return null;
    const { id, isActive, usedRecoveryCodes } = totp;
    const recoveryCodes = this.secrets
      .recoveryCodesOf(totp)
      .filter((_, position) => !usedRecoveryCodes.includes(position));
    return { id, isActive, recoveryCodes };
  }
}

import { Injectable } from '@nestjs/common';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { decoyOf } from '../domain/decoy.js';
import type { PasskeyDescriptor } from '../domain/passkey.js';
import { PasskeyRepository } from '../domain/passkey.repository.js';
import type { WebauthnSettings } from '../domain/webauthn-settings.js';
import { Challenges } from './challenges.js';
import { PasskeySettings } from './passkey-settings.js';

/** What an authenticator needs to sign a user in. */
export interface BegunAuthentication {
  readonly settings: WebauthnSettings;
  readonly challenge: string;
  /** Never empty; null: any passkey of the app that the authenticator holds. */
  readonly allowed: readonly PasskeyDescriptor[] | null;
}

@Injectable()
export class BeginAuthentication {
  constructor(
    private readonly settings: PasskeySettings,
    private readonly passkeys: PasskeyRepository,
    private readonly challenges: Challenges,
  ) {}

  /**
   * The same statements and the same shape for every user id, also of a user who is unknown, deleted or deactivated or has no
   * passkey. Throws `WebauthnNotConfigured`.
   */
  async execute(appId: AppId, userId: UserId | null): Promise<BegunAuthentication> {
    const settings = await this.settings.of(appId);
    const allowed = userId === null ? null : await this.allowed(appId, userId, settings);
    return { settings, challenge: await this.challenges.issue(appId, 'authentication', userId), allowed };
  }

  private async allowed(
    appId: AppId,
    userId: UserId,
    settings: WebauthnSettings,
  ): Promise<readonly PasskeyDescriptor[]> {
    const decoy = decoyOf(settings, appId, userId);
    const own = await this.passkeys.descriptors(appId, userId, settings.rpId);
    return own.length > 0 ? own : [decoy];
  }
}

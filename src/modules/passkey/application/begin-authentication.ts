import { Injectable } from '@nestjs/common';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { decoysOf } from '../domain/decoy.js';
import { DecoyShapesRepository } from '../domain/decoy-shapes.repository.js';
import type { PasskeyDescriptor } from '../domain/passkey.js';
import { PasskeyRepository } from '../domain/passkey.repository.js';
import type { WebauthnSettings } from '../domain/webauthn-settings.js';
import { Challenges } from './challenges.js';
import { PasskeySettings } from './passkey-settings.js';

/** The data that an authenticator needs to sign a user in. */
export interface BegunAuthentication {
  readonly settings: WebauthnSettings;
  readonly challenge: string;
  /** The permitted passkeys, never empty; null permits any passkey of the app that the authenticator holds. */
  readonly allowed: readonly PasskeyDescriptor[] | null;
}

@Injectable()
export class BeginAuthentication {
  constructor(
    private readonly settings: PasskeySettings,
    private readonly passkeys: PasskeyRepository,
    private readonly decoyShapes: DecoyShapesRepository,
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
    const [{ shapes }, own] = await Promise.all([
      this.decoyShapes.find(appId, settings.rpId),
      this.passkeys.descriptors(appId, userId, settings.rpId),
    ]);
    // Decoys are made for every user, since otherwise the response time would show which users have no passkey.
    const decoys = decoysOf(settings, appId, userId, shapes);
    return own.length > 0 ? own : decoys;
  }
}

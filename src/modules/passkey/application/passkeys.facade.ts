import { Injectable } from '@nestjs/common';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { AppsFacade } from '../../apps/index.js';
import { PasskeyRepository } from '../domain/passkey.js';
import { PASSKEY_SETTINGS, type PasskeySettings } from '../domain/passkey-settings.js';

/** The operations on passkeys that other modules use. */
@Injectable()
export class PasskeysFacade {
  constructor(
    private readonly apps: AppsFacade,
    private readonly passkeys: PasskeyRepository,
  ) {}

  /** The users among these who have a passkey of the app's current domain. Throws `AppNotFound`. */
  async haveOne(appId: AppId, userIds: readonly UserId[]): Promise<ReadonlySet<UserId>> {
    const settings = await this.apps.moduleSettings<PasskeySettings>(appId, PASSKEY_SETTINGS);
    return new Set(settings ? await this.passkeys.holdersAmong(appId, userIds, settings.rpId) : []);
  }
}

import { Injectable } from '@nestjs/common';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { AppsFacade } from '../../apps/index.js';
import { IdentityFacade } from '../../identity/index.js';
import { type PasskeyId, PasskeyRepository } from '../domain/passkey.js';
import { InvalidPasskey } from '../domain/passkey.errors.js';
import { PASSKEY_SETTINGS, type PasskeySettings } from '../domain/passkey-settings.js';
import { Ceremonies, type CheckedAssertion } from './ceremonies.js';
import type { BegunAuthentication } from './sign-in-with-passkey.js';

@Injectable()
export class PasskeysFacade {
  constructor(
    private readonly apps: AppsFacade,
    private readonly passkeys: PasskeyRepository,
    private readonly ceremonies: Ceremonies,
    private readonly identity: IdentityFacade,
  ) {}

  /** Leaves out users whose row is not as the service wrote it. */
  async haveOne(appId: AppId, userIds: readonly UserId[]): Promise<ReadonlySet<UserId>> {
    const settings = await this.apps.moduleSettings<PasskeySettings>(appId, PASSKEY_SETTINGS);
    if (!settings) return new Set();
    const [holders, altered] = await Promise.all([
      this.passkeys.holdersAmong(appId, userIds, settings.rpId),
      this.identity.alteredAmong(appId, userIds),
    ]);
    return new Set(holders.filter((userId) => !altered.has(userId)));
  }

  /** Null if the app has no such passkey. */
  holderOf(appId: AppId, id: PasskeyId): Promise<UserId | null> {
    return this.passkeys.ownerOf(appId, id);
  }

  /** `challenge` in base64url. Throws `PasskeysNotConfigured`. */
  async begin(appId: AppId, userId: UserId, challenge: string): Promise<BegunAuthentication> {
    const settings = await this.ceremonies.settings(appId);
    return { settings, challenge, allowed: await this.passkeys.descriptors(appId, userId, settings.rpId) };
  }

  /** The caller runs `use` in the transaction of the effect. Throws `InvalidPasskey`, and `SealAltered` for an altered row of the user. */
  async check(
    appId: AppId,
    userId: UserId,
    challenge: string,
    credential: unknown,
  ): Promise<Pick<CheckedAssertion, 'use' | 'passkey'>> {
    const checked = await this.ceremonies.check(appId, credential);
    if (checked.passkey.userId !== userId || checked.answer.challenge !== challenge) throw new InvalidPasskey(userId);
    await this.identity.requireUnaltered(appId, userId);
    return checked;
  }
}

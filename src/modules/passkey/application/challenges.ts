import { Injectable } from '@nestjs/common';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { SecretTokens } from '../../../kernel/secret-tokens.js';
import {
  type Challenge,
  CHALLENGE_TOKEN,
  type ChallengePurpose,
  mintChallenge,
  ChallengeRepository,
} from '../domain/challenge.js';
import { InvalidPasskey, PasskeysNotConfigured } from '../domain/passkey.errors.js';
import type { AppsFacade } from '../../apps/index.js';
import { PASSKEY_SETTINGS, type PasskeySettings } from '../domain/passkey-settings.js';

/** Challenges in base64url, of which only hashes are stored. */
@Injectable()
export class Challenges {
  constructor(
    private readonly challenges: ChallengeRepository,
    private readonly tokens: SecretTokens,
  ) {}

  async issue(appId: AppId, purpose: ChallengePurpose, userId: UserId | null): Promise<string> {
    const challenge = mintChallenge();
    await this.challenges.add(appId, { hash: this.hash(challenge), purpose, userId });
    return challenge;
  }

  /** Spends the challenge in the current transaction. Throws `InvalidPasskey`. */
  async spend(appId: AppId, challenge: string, purpose: ChallengePurpose, userId: UserId): Promise<Challenge> {
    const spent = await this.challenges.spend(appId, this.hash(challenge), purpose, userId);
    if (!spent) throw new InvalidPasskey(userId);
    return spent;
  }

  private hash(challenge: string) {
    return this.tokens.hash(CHALLENGE_TOKEN, challenge);
  }
}

/** The passkey settings of the app. Throws `PasskeysNotConfigured`. */
export async function settingsOf(apps: AppsFacade, appId: AppId): Promise<PasskeySettings> {
  const settings = await apps.moduleSettings<PasskeySettings>(appId, PASSKEY_SETTINGS);
  if (!settings) throw new PasskeysNotConfigured();
  return settings;
}

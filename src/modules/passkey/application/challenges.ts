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
import { InvalidWebauthnCredential, WebauthnNotConfigured } from '../domain/passkey.errors.js';
import { AppsFacade } from '../../apps/index.js';
import { WEBAUTHN, type WebauthnSettings } from '../domain/webauthn-settings.js';

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

  /** Spends the challenge in the current transaction. Throws `InvalidWebauthnCredential`. */
  async spend(appId: AppId, challenge: string, purpose: ChallengePurpose, userId: UserId): Promise<Challenge> {
    const spent = await this.challenges.spend(appId, this.hash(challenge), purpose, userId);
    if (!spent) throw new InvalidWebauthnCredential(userId);
    return spent;
  }

  private hash(challenge: string) {
    return this.tokens.hash(CHALLENGE_TOKEN, challenge);
  }
}

@Injectable()
export class PasskeySettings {
  constructor(private readonly apps: AppsFacade) {}

  /** Throws `WebauthnNotConfigured`. */
  async of(appId: AppId): Promise<WebauthnSettings> {
    const settings = await this.apps.moduleSettings<WebauthnSettings>(appId, WEBAUTHN);
    if (!settings) throw new WebauthnNotConfigured();
    return settings;
  }
}

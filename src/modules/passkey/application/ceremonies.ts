import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../../kernel/domain-events.js';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { SecretTokens } from '../../../kernel/secret-tokens.js';
import { AppsFacade } from '../../apps/index.js';
import { IdentityFacade } from '../../identity/index.js';
import type { Factor } from '../../session/index.js';
import {
  type AssertionJson,
  assertionIn,
  Authenticators,
  type Challenge,
  CHALLENGE_TOKEN,
  type ChallengePurpose,
  ChallengeRepository,
  mintChallenge,
} from '../domain/authenticators.js';
import { handleOf, type PasskeyId, PasskeyRepository, type StoredPasskey } from '../domain/passkey.js';
import { InvalidPasskey, PasskeysNotConfigured } from '../domain/passkey.errors.js';
import { FactorSuspicious } from '../domain/passkey.events.js';
import { PASSKEY_SETTINGS, type PasskeySettings } from '../domain/passkey-settings.js';

/** The signature is valid; the caller checks whether the challenge is the expected one. */
export interface CheckedAssertion {
  readonly passkey: StoredPasskey;
  readonly answer: AssertionJson;
  /** Records the use of the passkey in the current transaction. */
  readonly use: () => Promise<void>;
}

/** WebAuthn ceremonies. Of challenges only hashes are stored. */
@Injectable()
export class Ceremonies {
  constructor(
    private readonly apps: AppsFacade,
    private readonly identity: IdentityFacade,
    private readonly authenticators: Authenticators,
    private readonly challenges: ChallengeRepository,
    private readonly passkeys: PasskeyRepository,
    private readonly tokens: SecretTokens,
    private readonly events: DomainEvents,
  ) {}

  async settings(appId: AppId): Promise<PasskeySettings> {
    const settings = await this.apps.moduleSettings<PasskeySettings>(appId, PASSKEY_SETTINGS);
    if (!settings) throw new PasskeysNotConfigured();
    return settings;
  }

  async issue(appId: AppId, purpose: ChallengePurpose, userId: UserId | null): Promise<string> {
    const challenge = mintChallenge();
    await this.challenges.add(appId, { hash: this.hash(challenge), purpose, userId });
    return challenge;
  }

  async spend(appId: AppId, challenge: string, purpose: ChallengePurpose, userId: UserId): Promise<Challenge> {
    const spent = await this.challenges.spend(appId, this.hash(challenge), purpose, userId);
    if (!spent) throw new InvalidPasskey(userId);
    return spent;
  }

  async check(appId: AppId, credential: unknown): Promise<CheckedAssertion> {
    const settings = await this.settings(appId);
    const answer = assertionIn(credential);
    const passkey = await this.passkeys.find(appId, Buffer.from(answer.id, 'base64url'));
    const assertion = await this.authenticators.asserted(answer, settings, passkey);
    if (!passkey || !assertion) throw new InvalidPasskey(passkey?.userId);
    const { id, userId } = passkey;
    if (answer.userHandle !== null && answer.userHandle !== handleOf(passkey)) throw new InvalidPasskey(userId);
    const use = async (): Promise<void> => {
      // Every transaction locks the user first, then the passkey.
      await this.identity.holdActive(appId, userId);
      const used = await this.passkeys.use(passkey, assertion);
      if (!used) throw new InvalidPasskey(userId);
      if (!used.isSuspicious) return;
      const isAsBefore = passkey.isBackupUnknown === true || assertion.isBackupEligible === passkey.isBackupEligible;
      const reason = isAsBefore ? 'counter' : 'backup_eligibility';
      await this.events.publish(new FactorSuspicious(appId, id, userId, reason));
    };
    return { passkey, answer, use };
  }

  private hash(challenge: string) {
    return this.tokens.hash(CHALLENGE_TOKEN, challenge);
  }
}

export function factorOf(passkeyId: PasskeyId): Factor {
  return {
    type: 'webauthn',
    deliveryChannel: 'webauthn_credential',
    method: { type: 'webauthn', passkeyId },
  };
}

import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../../kernel/domain-events.js';
import type { AppId } from '../../../kernel/ids.js';
import { AppsFacade } from '../../apps/index.js';
import { IdentityFacade } from '../../identity/index.js';
import { Authenticators } from '../domain/authenticators.js';
import { type AssertionJson, assertionIn } from '../domain/credential-json.js';
import { type Passkey, PasskeyRepository, userHandleOf } from '../domain/passkey.js';
import { InvalidPasskey } from '../domain/passkey.errors.js';
import { FactorSuspicious } from '../domain/passkey.events.js';
import { settingsOf } from './challenges.js';

/** An assertion whose signature is valid. Whether its challenge is the expected one is for the caller to check. */
export interface CheckedAssertion {
  readonly passkey: Passkey;
  readonly answer: AssertionJson;
  /** Records the use of the passkey in the current transaction, which holds its user. Throws `InvalidPasskey`, `UserInactive`. */
  readonly use: () => Promise<void>;
}

/** Checks the signatures of passkeys. */
@Injectable()
export class Assertions {
  constructor(
    private readonly apps: AppsFacade,
    private readonly identity: IdentityFacade,
    private readonly authenticators: Authenticators,
    private readonly passkeys: PasskeyRepository,
    private readonly events: DomainEvents,
  ) {}

  /** Throws `PasskeysNotConfigured`, `InvalidPasskey`. */
  async check(appId: AppId, credential: unknown): Promise<CheckedAssertion> {
    const settings = await settingsOf(this.apps, appId);
    const answer = assertionIn(credential);
    const passkey = await this.passkeys.find(appId, Buffer.from(answer.id, 'base64url'));
    const assertion = await this.authenticators.asserted(answer, settings, passkey);
    if (!passkey || !assertion) throw new InvalidPasskey(passkey?.userId);
    const { id, userId } = passkey;
    if (answer.userHandle !== null && answer.userHandle !== userHandleOf(userId)) throw new InvalidPasskey(userId);
    const use = async (): Promise<void> => {
      // Every transaction locks the user first, then the passkey.
      await this.identity.holdActive(appId, userId);
      const used = await this.passkeys.use(passkey, assertion);
      if (!used) throw new InvalidPasskey(userId);
      if (used.isSuspicious) await this.events.publish(new FactorSuspicious(appId, id, userId));
    };
    return { passkey, answer, use };
  }
}

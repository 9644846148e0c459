import { Injectable } from '@nestjs/common';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { decoysOf, DecoyShapesRepository } from '../domain/decoy.js';
import { type PasskeyDescriptor, PasskeyRepository } from '../domain/passkey.js';
import type { PasskeySettings } from '../domain/passkey-settings.js';
import { Ceremonies, factorOf } from './ceremonies.js';
import { Transactions } from '../../../kernel/transactions.js';
import { InvalidSession, type SessionArguments, SessionFacade } from '../../session/index.js';
import { InvalidPasskey, PasskeysNotConfigured } from '../domain/passkey.errors.js';
import type { VerifiedPasskey } from './manage-passkeys.js';

export interface BegunAuthentication {
  readonly settings: PasskeySettings;
  readonly challenge: string;
  /** Null permits any passkey of the app that the authenticator holds. The list is never empty. */
  readonly allowed: readonly PasskeyDescriptor[] | null;
}

@Injectable()
export class SignInWithPasskey {
  static readonly refusals = [...SessionFacade.refusals, InvalidPasskey, PasskeysNotConfigured];

  constructor(
    private readonly sessions: SessionFacade,
    private readonly ceremonies: Ceremonies,
    private readonly passkeys: PasskeyRepository,
    private readonly decoyShapes: DecoyShapesRepository,
    private readonly transactions: Transactions,
  ) {}

  /** Every user id causes the same statements and a response of the same shape, also an unknown or deactivated user. */
  async begin(appId: AppId, userId: UserId | null): Promise<BegunAuthentication> {
    const settings = await this.ceremonies.settings(appId);
    const allowed = userId === null ? null : await this.allowed(appId, userId, settings);
    return { settings, challenge: await this.ceremonies.issue(appId, 'authentication', userId), allowed };
  }

  /** A refusal spends nothing. */
  async execute(appId: AppId, credential: unknown, sessionArguments: SessionArguments): Promise<VerifiedPasskey> {
    const intent = await this.sessions.resolve(appId, sessionArguments);
    const { passkey, answer, use } = await this.ceremonies.check(appId, credential);
    const { id, userId } = passkey;
    if (intent.userId !== null && intent.userId !== userId) throw new InvalidSession();

    const session = await this.transactions.run(async () => {
      await use();
      const challenge = await this.ceremonies.spend(appId, answer.challenge, 'authentication', userId);
      // If the challenge names no user, the authenticator must say which user it signs for.
      if (challenge.userId === null && answer.userHandle === null) throw new InvalidPasskey(userId);
      return this.sessions.addFactor(appId, intent, userId, factorOf(id));
    });
    return { passkey, session };
  }

  private async allowed(
    appId: AppId,
    userId: UserId,
    settings: PasskeySettings,
  ): Promise<readonly PasskeyDescriptor[]> {
    const [{ shapes }, own] = await Promise.all([
      this.decoyShapes.find(appId, settings.rpId),
      this.passkeys.descriptors(appId, userId, settings.rpId),
    ]);
    // Decoys are made for every user: otherwise the response time would show which users have no passkey.
    const decoys = decoysOf(settings, appId, userId, shapes);
    return own.length > 0 ? own : decoys;
  }
}

import { Injectable } from '@nestjs/common';
import { randomInt } from 'node:crypto';
import { type AppId, newId, type UserId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/outbox.js';
import { Transactions } from '../../../kernel/transactions.js';
import { IdentityFacade } from '../../identity/index.js';
import { InvalidSession, type IssuedSession, type SessionArguments, SessionFacade } from '../../session/index.js';
import { Authenticators } from '../domain/authenticators.js';
import { attestationIn } from '../domain/credential-json.js';
import { isDecoy, startOfSample } from '../domain/decoy.js';
import { DecoyShapesRepository } from '../domain/decoy-shapes.repository.js';
import {
  DuplicateWebauthnCredential,
  InvalidWebauthnCredential,
  StepUpRequired,
  TooManyWebauthnCredentials,
} from '../domain/passkey.errors.js';
import { PasskeyCreated } from '../domain/passkey.events.js';
import { MAX_PASSKEYS, type NewPasskey, type Passkey, STEP_UP_SECONDS } from '../domain/passkey.js';
import { PasskeyRepository } from '../domain/passkey.repository.js';
import type { WebauthnSettings } from '../domain/webauthn-settings.js';
import { Challenges } from './challenges.js';
import { factorOf } from './passkey-factor.js';
import { PasskeySettings } from './passkey-settings.js';

/** A passkey that was registered or has signed in. */
export interface VerifiedPasskey {
  readonly passkey: Pick<Passkey, 'id' | 'userId'>;
  readonly session: IssuedSession | null;
}

@Injectable()
export class RegisterPasskey {
  constructor(
    private readonly settings: PasskeySettings,
    private readonly sessions: SessionFacade,
    private readonly identity: IdentityFacade,
    private readonly authenticators: Authenticators,
    private readonly challenges: Challenges,
    private readonly passkeys: PasskeyRepository,
    private readonly decoyShapes: DecoyShapesRepository,
    private readonly events: DomainEvents,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Checks the session arguments, then the credential. One transaction then locks the user, so that of two first passkeys only
   * one needs no session, spends the challenge, adds the passkey and the factor. A refusal spends nothing.
   */
  async execute(
    appId: AppId,
    userId: UserId,
    { credential, name }: { readonly credential: unknown; readonly name: string },
    sessionArguments: SessionArguments,
  ): Promise<VerifiedPasskey> {
    const intent = await this.sessions.resolve(appId, sessionArguments);
    if (intent.userId !== null && intent.userId !== userId) throw new InvalidSession();
    const settings = await this.settings.of(appId);
    const answer = attestationIn(credential);
    const key = await this.authenticators.attested(answer, settings);
    if (!key) throw new InvalidWebauthnCredential();
    const passkey: NewPasskey = {
      ...key,
      appId,
      id: newId('passkey'),
      userId,
      credentialId: Buffer.from(answer.id, 'base64url'),
      rpId: settings.rpId,
      name,
      transports: answer.transports,
    };
    const session = await this.transactions.run(async () => {
      const { hasProvedCredential } = await this.identity.lockForNewCredential(appId, userId);
      if (hasProvedCredential && !(await this.sessions.isFresh(appId, intent, STEP_UP_SECONDS)))
        throw new StepUpRequired();
      await this.challenges.spend(appId, answer.challenge, 'registration', userId);
      if ((await this.passkeys.count(appId, userId)) >= MAX_PASSKEYS) throw new TooManyWebauthnCredentials();
      const isNew = await this.passkeys.add(passkey);
      if (!isNew || isDecoy(settings.decoyKey, appId, passkey.credentialId)) throw new DuplicateWebauthnCredential();
      await this.letDecoysFollow(settings, appId);
      await this.events.publish(new PasskeyCreated(appId, passkey.id, userId));
      return this.sessions.addFactor(appId, intent, userId, factorOf(passkey.id), { provedAt: null, isAdded: true });
    });
    return { passkey, session };
  }

  /** Lets decoys follow the passkeys of the app: with each of the first ones, then every time that they are a few per cent more. */
  private async letDecoysFollow({ rpId, decoyKey }: WebauthnSettings, appId: AppId): Promise<void> {
    const { sampled } = await this.decoyShapes.find(appId, rpId);
    if (randomInt(Math.max(sampled, ALWAYS_SAMPLED)) < ALWAYS_SAMPLED)
      await this.decoyShapes.sample(appId, rpId, startOfSample(decoyKey, appId));
  }
}

/** Up to this many passkeys of an app, each new one is sampled. */
const ALWAYS_SAMPLED = 64;

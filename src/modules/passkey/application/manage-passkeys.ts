import { Injectable } from '@nestjs/common';
import { randomInt } from 'node:crypto';
import { InvalidRequest } from '../../../kernel/errors.js';
import { type AppId, type UserId, newId } from '../../../kernel/ids.js';
import { Transactions } from '../../../kernel/transactions.js';
import { IdentityFacade, type Remover, type UserProfile, UserProfiles } from '../../identity/index.js';
import {
  type PasskeyDescriptor,
  type PasskeyId,
  PasskeyRepository,
  MAX_PASSKEYS,
  type NewPasskey,
  type Passkey,
} from '../domain/passkey.js';
import type { PasskeySettings } from '../domain/passkey-settings.js';
import { Ceremonies, factorOf } from './ceremonies.js';
import { DomainEvents } from '../../../kernel/domain-events.js';
import { InvalidSession, type IssuedSession, type SessionArguments, SessionFacade } from '../../session/index.js';
import { attestationIn, Authenticators } from '../domain/authenticators.js';
import { isDecoy, startOfSample, DecoyShapesRepository } from '../domain/decoy.js';
import { DuplicatePasskey, InvalidPasskey, PasskeyNotFound, TooManyPasskeys } from '../domain/passkey.errors.js';
import { PasskeyCreated, PasskeyDeleted } from '../domain/passkey.events.js';

export interface BegunRegistration {
  readonly userId: UserId;
  readonly settings: PasskeySettings;
  readonly challenge: string;
  readonly account: string;
  readonly fullName: string;
  /** Authenticators that hold one of these refuse to make another. */
  readonly known: readonly PasskeyDescriptor[];
}

export interface VerifiedPasskey {
  readonly passkey: Pick<Passkey, 'id' | 'userId'>;
  readonly session: IssuedSession | null;
}

@Injectable()
export class ManagePasskeys {
  constructor(
    private readonly sessions: SessionFacade,
    private readonly identity: IdentityFacade,
    private readonly profiles: UserProfiles,
    private readonly authenticators: Authenticators,
    private readonly ceremonies: Ceremonies,
    private readonly passkeys: PasskeyRepository,
    private readonly decoyShapes: DecoyShapesRepository,
    private readonly events: DomainEvents,
    private readonly transactions: Transactions,
  ) {}

  async begin(appId: AppId, userId: UserId, domain: string | undefined): Promise<BegunRegistration> {
    const settings = await this.ceremonies.settings(appId);
    if (domain !== undefined && domain !== settings.rpId)
      throw new InvalidRequest([{ field: 'domain', rule: 'rp_id', message: 'must be the rp_id of the app' }]);
    const profile = await this.profiles.get(appId, userId);
    const begun = await this.transactions.run(async () => {
      await this.identity.holdActive(appId, userId);
      const known = await this.passkeys.descriptors(appId, userId, settings.rpId);
      return { known, challenge: await this.ceremonies.issue(appId, 'registration', userId) };
    });
    return { userId, settings, account: accountOf(profile), fullName: fullNameOf(profile), ...begun };
  }

  /** The user is locked first, so that of two first passkeys only one needs no session. A refusal spends nothing. */
  async register(
    appId: AppId,
    userId: UserId,
    { credential, name }: { readonly credential: unknown; readonly name: string },
    sessionArguments: SessionArguments,
  ): Promise<VerifiedPasskey> {
    const intent = await this.sessions.resolve(appId, sessionArguments);
    if (intent.userId !== null && intent.userId !== userId) throw new InvalidSession();
    const settings = await this.ceremonies.settings(appId);
    const answer = attestationIn(credential);
    const key = await this.authenticators.attested(answer, settings);
    if (!key) throw new InvalidPasskey();
    const passkey: NewPasskey = {
      ...key,
      appId,
      id: newId('passkey'),
      userId,
      credentialId: Buffer.from(answer.id, 'base64url'),
      rpId: settings.rpId,
      name,
      transports: answer.transports,
      isBackupUnknown: null,
      userHandle: null,
    };
    const gain = { type: 'webauthn', session: this.sessions.carriedBy(appId, intent), needsSession: true };
    const session = await this.transactions.run(async () => {
      await this.identity.addSignInMethod(appId, userId, gain, async () => {
        await this.ceremonies.spend(appId, answer.challenge, 'registration', userId);
        if ((await this.passkeys.count(appId, userId)) >= MAX_PASSKEYS) throw new TooManyPasskeys();
        const isNew = await this.passkeys.add(passkey);
        if (!isNew || isDecoy(settings.decoyKey, appId, passkey.credentialId)) throw new DuplicatePasskey();
      });
      await this.letDecoysFollow(settings, appId);
      await this.events.publish(new PasskeyCreated(appId, passkey.id, userId));
      return this.sessions.addFactor(appId, intent, userId, factorOf(passkey.id), { isAdded: true });
    });
    return { passkey, session };
  }

  async delete(appId: AppId, id: PasskeyId, remover: Remover, ofUser?: UserId): Promise<UserId> {
    const userId = await this.passkeys.ownerOf(appId, id);
    if (!userId || (ofUser !== undefined && userId !== ofUser)) throw new PasskeyNotFound();
    await this.identity.removeSignInMethod(appId, userId, { type: 'webauthn', id }, remover, async () => {
      if (!(await this.passkeys.remove(appId, id))) throw new PasskeyNotFound();
      await this.events.publish(new PasskeyDeleted(appId, id, userId));
    });
    return userId;
  }

  /** Samples each of the first passkeys, and later as often as they have become a few per cent more. */
  private async letDecoysFollow({ rpId, decoyKey }: PasskeySettings, appId: AppId): Promise<void> {
    const { sampled } = await this.decoyShapes.find(appId, rpId);
    if (randomInt(Math.max(sampled, ALWAYS_SAMPLED)) < ALWAYS_SAMPLED)
      await this.decoyShapes.sample(appId, rpId, startOfSample(decoyKey, appId));
  }
}

function accountOf({ emails, phoneNumbers, userId }: UserProfile): string {
  return emails[0]?.email ?? phoneNumbers[0]?.phoneNumber ?? userId;
}

function fullNameOf({ firstName, middleName, lastName }: UserProfile): string {
  return [firstName, middleName, lastName].filter((name) => name !== '').join(' ');
}

const ALWAYS_SAMPLED = 64;

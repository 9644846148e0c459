import { Injectable } from '@nestjs/common';
import { Clock, epochSeconds } from '../../../kernel/clock.js';
import { DomainError } from '../../../kernel/domain-error.js';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { requireUserWithin } from '../../../kernel/key-restriction.js';
import { WrongTries } from '../../../kernel/limits.js';
import { Log } from '../../../kernel/log.js';
import { Transactions } from '../../../kernel/transactions.js';
import { Vault } from '../../../kernel/vault.js';
import { AppsFacade } from '../../apps/index.js';
import { type Contact, IdentityFacade, InvalidEmail } from '../../identity/index.js';
import {
  AddressOfOtherAccount,
  type Factor,
  InvalidSession,
  type IssuedSession,
  type SessionArguments,
  SessionFacade,
} from '../../session/index.js';
import {
  AddressUnverified,
  hashContext,
  type ImportedPassword,
  ImportedPasswordRepository,
  InvalidPassword,
  PASSWORD_LOGIN_UNTIL,
  type PasswordLogin,
  PasswordLoginClosed,
} from '../domain/imported-password.js';
import {
  HASH_OF_NO_USER,
  HashChecker,
  type PasswordHash,
  passwordHashOf,
  type StatedHash,
} from '../domain/password-hash.js';
import { TooManyRequests } from '../../../kernel/errors.js';

export type NamedUser = { readonly email: string } | { readonly userId: UserId };

export interface VerifiedPassword {
  readonly userId: UserId;
  /** Null if the request named the user by id. */
  readonly contact: Contact | null;
  readonly session: IssuedSession | null;
}

@Injectable()
export class VerifyPassword {
  static readonly refusals = [
    ...SessionFacade.refusals,
    TooManyRequests,
    InvalidPassword,
    PasswordLoginClosed,
    AddressUnverified,
    InvalidEmail,
  ];

  constructor(
    private readonly apps: AppsFacade,
    private readonly identity: IdentityFacade,
    private readonly sessions: SessionFacade,
    private readonly passwords: ImportedPasswordRepository,
    private readonly hashes: HashChecker,
    private readonly vault: Vault,
    private readonly tries: WrongTries,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Compares also where there is no such user or password. Throws `AddressUnverified` only after the right password. */
  async execute(
    appId: AppId,
    named: NamedUser,
    password: string,
    sessionArguments: SessionArguments,
  ): Promise<VerifiedPassword> {
    const login = await this.apps.moduleSettings<PasswordLogin>(appId, PASSWORD_LOGIN_UNTIL);
    if (!login || login.until <= epochSeconds(this.clock.now())) throw new PasswordLoginClosed();
    const intent = await this.sessions.resolve(appId, sessionArguments);
    await this.vault.ready(appId);
    this.hashes.requireRoom(appId);

    const address = 'email' in named ? this.identity.address('email', named.email) : null;
    if (address) await this.identity.requireHolderWithin(appId, address, intent.binding);
    else if ('userId' in named) requireUserWithin(intent.binding, named.userId);
    const contact = address && (await this.identity.contact(appId, address));
    const userId = 'userId' in named ? named.userId : (contact?.userId ?? null);
    if (intent.userId !== null && intent.userId !== userId) throw new InvalidSession();
    const kept = await this.passwords.find(appId, userId, address?.canonical ?? userId!);
    const own = kept !== null && kept.userId === userId ? kept : null;
    const hash = own ? await this.opened(own) : kept && (await this.openedDecoy(kept));
    // The user of an unverified address may have nothing to do with its owner.
    const whose = userId !== null && (!contact || contact.verifiedAt) ? userId : address!;
    const attempt = await this.tries.begin(appId, whose, sessionArguments.deviceFingerprint?.ip);
    const compare = async (): Promise<boolean> => {
      if (!kept || !hash) return false;
      return own ? this.hashes.matches(appId, password, hash) : this.decoyMatches(password, kept, hash);
    };
    const isMatch = await compare().catch(async (error: unknown) => {
      // No room or no time is no wrong try.
      if (error instanceof DomainError)
        await this.transactions.run(async () => this.tries.giveBack(attempt, { provesAddress: false }));
      throw error;
    });
    if (!own || !isMatch)
      throw new InvalidPassword(own?.userId ?? contact?.userId, own ? { reason: 'wrong' } : undefined);

    const signIn = async (): Promise<VerifiedPassword | null> => {
      this.tries.giveBack(attempt, { provesAddress: false });
      // Returned instead of thrown, to commit: the password was right.
      if (!(await this.identity.hasProvedMethod(appId, own.userId))) return null;
      // Asked last: an account that passes to the prover of its address loses the password in its transaction; an older replica keeps it.
      const [isKept, hasPassed] = await Promise.all([
        this.passwords.isKept(own),
        this.identity.hasPassed(appId, own.userId),
      ]);
      if (!isKept || hasPassed) throw new InvalidPassword(own.userId);
      const session = await this.sessions.addFactor(appId, intent, own.userId, factorOf(own.userId, contact));
      return { userId: own.userId, contact, session };
    };
    const verified = await this.transactions.run(signIn).catch(async (error: unknown) => {
      if (error instanceof AddressOfOtherAccount)
        await this.transactions.run(async () => this.tries.giveBack(attempt, { provesAddress: false }));
      throw error;
    });
    if (!verified) throw new AddressUnverified();
    return verified;
  }

  /** A fault of another user's row would fail the call of each user without a password. */
  private openedDecoy(decoy: ImportedPassword): Promise<PasswordHash> {
    return this.opened(decoy).catch((error: unknown) => this.withoutDecoy(decoy, error));
  }

  private decoyMatches(password: string, decoy: ImportedPassword, hash: PasswordHash): Promise<boolean> {
    return this.hashes.matches(decoy.appId, password, hash).catch((error: unknown) => {
      if (error instanceof DomainError) throw error;
      return this.hashes.matches(decoy.appId, password, this.withoutDecoy(decoy, error));
    });
  }

  private withoutDecoy({ appId, id }: ImportedPassword, error: unknown): PasswordHash {
    this.log.error({ app_id: appId, password_id: id, err: error }, 'a stored password hash cannot be compared');
    return HASH_OF_NO_USER;
  }

  private async opened(kept: ImportedPassword) {
    await this.vault.ready(kept.appId, kept.sealedHash);
    const text = this.vault.open(kept.sealedHash, hashContext(kept)).toString();
    return passwordHashOf(JSON.parse(text) as StatedHash);
  }
}

function factorOf(userId: UserId, contact: Contact | null): Factor {
  const from = { type: 'password', deliveryChannel: 'password' };
  if (!contact) return { ...from, method: { type: 'user', userId } };
  return { ...from, method: { type: 'email', emailId: contact.id, email: contact.text } };
}

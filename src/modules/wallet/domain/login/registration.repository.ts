import type { AppId, UserId, WalletRegistrationId } from '../../../../kernel/ids.js';
import type { Registration, RegistrationForm } from './registration.js';

/**
 * The fields by which the caller names the registration that the signature is for. Each given field must be equal to that of the
 * registration.
 */
export interface RegistrationClues {
  readonly id?: WalletRegistrationId;
  /** The address in canonical form. */
  readonly publicAddress?: string;
  readonly nonce?: string;
  /** Registrations that attach the wallet to another user come last. */
  readonly userId?: UserId;
}

/** An unspent registration that had not expired, by the database's clock, when it was looked for. */
export interface OpenRegistration extends Registration {
  readonly createdAt: Date;
  /** The database's clock then. */
  readonly asOf: Date;
}

export abstract class RegistrationRepository {
  /**
   * Keeps the registration, and writes the transaction's events along with it. Of `MOST_OPEN_REGISTRATIONS` for the same address, form and
   * purpose it returns the newest one instead, valid from now on. Returns the kept registration.
   */
  abstract add(
    registration: Registration,
  ): Promise<Registration & { readonly createdAt: Date; readonly expiresAt: Date }>;

  /** The open registrations of a form the clues lead to, those of `userId` and of sign-ins first, then the newest, at most `limit`. Id or address must be among them. */
  abstract findOpen(
    appId: AppId,
    form: RegistrationForm,
    clues: RegistrationClues,
    limit: number,
  ): Promise<readonly OpenRegistration[]>;

  /** Spends a registration unless it is spent, void or expired. Of simultaneous callers, one succeeds. */
  abstract spend(appId: AppId, id: WalletRegistrationId): Promise<boolean>;

  /** The user whom an earlier unanswered registration created for the person who proves the address; null if the account is not empty. */
  abstract keptUser(appId: AppId, publicAddress: string): Promise<UserId | null>;

  /** Revokes the registrations that would attach a wallet to the user. */
  abstract revokeAllOf(appId: AppId, userId: UserId): void;
}

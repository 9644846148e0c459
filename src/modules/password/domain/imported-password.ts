import { refusal } from '../../../kernel/domain-error.js';
import type { AppId, Id, UserId } from '../../../kernel/ids.js';
import { loginRefusal } from '../../../kernel/refusals.js';
import type { SealContext, Sealed } from '../../../kernel/vault.js';

export type PasswordId = Id<'password'>;

/** The name in the API and in storage. */
export const PASSWORD_LOGIN_UNTIL = 'password_login_until';
export interface PasswordLogin {
  readonly until: number;
}

export interface ImportedPassword {
  readonly appId: AppId;
  readonly id: PasswordId;
  readonly userId: UserId;
  readonly sealedHash: Sealed;
  readonly createdAt: Date;
}

/** Bound to the user, so that the hash of one user opens no account of another. */
export function hashContext({ appId, id, userId }: Pick<ImportedPassword, 'appId' | 'id' | 'userId'>): SealContext {
  return ['imported-password', appId, id, userId];
}

export abstract class ImportedPasswordRepository {
  /** A user without a password gets another user's as a decoy, always the same for `asked`: the comparison then costs the same. */
  abstract find(appId: AppId, userId: UserId | null, asked: string): Promise<ImportedPassword | null>;

  /** Runs in the caller's transaction. */
  abstract isKept(password: ImportedPassword): Promise<boolean>;

  abstract removeAllOf(appId: AppId, userId: UserId): Promise<number>;
}

export class InvalidPassword extends loginRefusal('invalid', 'invalid_password', {
  message: 'The password is not valid.',
  help: 'The password is wrong, or the user is unknown or has no imported password. Another login method, such as a one-time passcode, needs no password.',
}) {}

export class PasswordLoginClosed extends refusal('forbidden', 'password_login_closed', {
  message: 'The app accepts no passwords. Use another login method.',
  help: "Imported passwords sign in until the app's `password_login_until`, which is not set or lies in the past. Nothing was counted. Use another login method, such as a one-time passcode.",
}) {}

export class AddressUnverified extends refusal('forbidden', 'address_unverified', {
  message: 'The password is right, but the user has proved no address. Send a one-time passcode or a link first.',
  help: 'The password is right, but the user has no verified sign-in method, and a password verifies none. Send a one-time passcode or a link to the address: who proves it gets the account, and the password is erased.',
}) {}

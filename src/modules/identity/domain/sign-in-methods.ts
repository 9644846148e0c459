import type { AppId, UserId } from '../../../kernel/ids.js';
import { Registry } from '../../../kernel/registry.js';

/** Stands in place of the SQL of a method that proves an address: identity counts addresses itself. */
export const KEPT_BY_IDENTITY = 'kept by identity';

export interface SignInMethod {
  readonly factorType: string;
  /** The credential's name in messages to its user, such as `passkey`. Absent where identity keeps the credentials. */
  readonly title?: string;
  /**
   * SQL that selects, for each credential of user `$2` of app `$1`: whether the user can sign in with it now; whether the user has proved
   * it (without a proved one, the account passes to the user who proves its address); its id in session factors; when it was first proved,
   * or null.
   */
  readonly credentials: string;
  /** Ends what is pending or unproved when the locked user is deleted or passes; what was sent to `codesStay` stays. Returns how many. */
  revoke(appId: AppId, userId: UserId, codesStay: readonly string[]): Promise<number>;
  /** A session that saw the method in the last 10 minutes may add the first of `type`, if an address is verified and `sql` has a row. */
  readonly opensFirst?: { readonly type: string; readonly sql: string };
}

const ADDRESS_TITLES: Readonly<Record<string, string>> = { email: 'email address', phone_number: 'phone number' };

/** A method that is missing here lets an attacker take over accounts, so sessions refuse its factor. */
export class SignInMethods {
  private readonly methods = new Registry<SignInMethod>('The sign-in method');

  register(method: SignInMethod): void {
    this.methods.add(method.factorType, method);
  }

  titleOf(methodType: string): string {
    return (
      ADDRESS_TITLES[methodType] ?? this.all.find(({ factorType }) => factorType === methodType)?.title ?? methodType
    );
  }

  get all(): readonly SignInMethod[] {
    return [...this.methods.values()];
  }

  async revokeAllOf(appId: AppId, userId: UserId, codesStay: readonly string[] = []): Promise<number> {
    const ended = await Promise.all(this.all.map((method) => method.revoke(appId, userId, codesStay)));
    return ended.reduce((sum, count) => sum + count, 0);
  }
}

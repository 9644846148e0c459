import type { AppId, UserId } from '../../../kernel/ids.js';
import { Registry } from '../../../kernel/registry.js';

/** Stands in place of the SQL of a method that proves an address: identity counts addresses itself. */
export const KEPT_BY_IDENTITY = 'kept by identity';

/** How the users of an app sign in by one module. */
export interface SignInMethod {
  /** The `type` of the session factor that a login adds. */
  readonly factorType: string;
  /** The name of a credential in messages to its user, such as `passkey`. Absent where identity keeps the credentials. */
  readonly title?: string;
  /**
   * SQL that selects a row for each credential of user `$2` of app `$1`. The first column says whether the user can sign
   * in with it now. The second says whether the user has proved to hold it; while no credential of an account is proved,
   * the account passes to the user who proves its address. The third is the id that the session factor names as its method, the fourth when
   * the user proved it for the first time, null if never.
   */
  readonly credentials: string;
  /**
   * Ends pending tokens and unproved credentials, in the transaction that deletes the user or passes the account to
   * another person. Codes and links that were sent to the addresses with the ids `codesStay` prove only that address, and stay. The user's
   * row is locked. Returns how many ended.
   */
  revoke(appId: AppId, userId: UserId, codesStay: readonly string[]): Promise<number>;
  /**
   * A session that saw the method in the last 10 minutes may add the first credential of this type, although it is not fresh, if the user has
   * a verified address and the SQL selects a row for user `$2` of app `$1`.
   */
  readonly opensFirst?: { readonly type: string; readonly sql: string };
}

const ADDRESS_TITLES: Readonly<Record<string, string>> = { email: 'email address', phone_number: 'phone number' };

/** All sign-in methods. A method that is missing here lets an attacker take over accounts, so sessions refuse its factor. */
export class SignInMethods {
  private readonly methods = new Registry<SignInMethod>('The sign-in method');

  /** `SignInModule` of `session` calls it. */
  register(method: SignInMethod): void {
    this.methods.add(method.factorType, method);
  }

  /** The name of a credential in messages, by its type in session factors. */
  titleOf(methodType: string): string {
    return (
      ADDRESS_TITLES[methodType] ?? this.all.find(({ factorType }) => factorType === methodType)?.title ?? methodType
    );
  }

  get all(): readonly SignInMethod[] {
    return [...this.methods.values()];
  }

  /** Returns how many tokens and credentials ended. */
  async revokeAllOf(appId: AppId, userId: UserId, codesStay: readonly string[] = []): Promise<number> {
    const ended = await Promise.all(this.all.map((method) => method.revoke(appId, userId, codesStay)));
    return ended.reduce((sum, count) => sum + count, 0);
  }
}

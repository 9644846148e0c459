import type { Request } from 'express';
import type { DefaultWalletType } from '../../kernel/chain/chain-name.js';
import type { AppId, KeyId } from '../../kernel/ids.js';
import type { KeyBinding, KeyRestriction, KeyScope } from '../../kernel/key-restriction.js';
import type { ManagementRole } from '../../kernel/management-role.js';

/** The app whose key a request carries, with the settings that the edge and the modules need on every call. */
export interface AuthenticatedApp {
  readonly id: AppId;
  /** Id of the key in the request. */
  readonly keyId: string;
  readonly name: string;
  readonly mode: 'test' | 'live';
  readonly defaultWalletType: DefaultWalletType;
  readonly allowedOrigins: readonly string[];
  /** The rate limit of all calls with a key of the app's backend. */
  readonly callsPerSecond: number;
  /** The limits of a restricted key; null for any other key. */
  readonly restriction: KeyRestriction | null;
}

/** The objects that the key of the request is bound to; null if it is not bound. */
export function bindingOf({ restriction }: AuthenticatedApp): KeyBinding | null {
  return restriction?.binding ?? null;
}

/** The restricted key of a call. */
export interface RestrictedCaller {
  readonly keyId: KeyId;
  readonly scopes: readonly KeyScope[];
}

export interface BrowserSession {
  /** When the operator proved who they are; null if that is not known. */
  readonly provedAt: Date | null;
  /** The age of that proof by the database's clock. */
  readonly provedSecondsAgo: number | null;
}

/** The caller of a management endpoint. */
export interface ManagementCaller {
  /** The id of the key. For an operator without a key, `oidc:` and the operator's name, as the audit log keeps it. */
  readonly keyId: string;
  /** The name of an operator who signed in at the OpenID provider; null for a key. */
  readonly operator: string | null;
  readonly role: ManagementRole;
  /** The time at which the key or the session ends; null if the key is valid until it is revoked. */
  readonly expiresAt: Date | null;
  /** The session of a browser; null for a call with a key. */
  readonly session: BrowserSession | null;
}

/**
 * Recognises keys. Each method returns null for a key that is of another kind, malformed, unknown, expired, revoked or of a
 * deleted app, and throws when the key cannot be looked up.
 */
export abstract class AppAuthenticator {
  abstract bySecretKey(key: string): AuthenticatedApp | null | Promise<AuthenticatedApp | null>;
  abstract byRestrictedKey(key: string): AuthenticatedApp | null | Promise<AuthenticatedApp | null>;
  abstract byPublicToken(token: string): AuthenticatedApp | null | Promise<AuthenticatedApp | null>;
  abstract byManagementKey(key: string): ManagementCaller | null | Promise<ManagementCaller | null>;
  /** Recognises the token of a browser's session; null also once the key that began it has ended. */
  abstract byManagementSession(token: string): ManagementCaller | null | Promise<ManagementCaller | null>;

  /** Lets the current transaction fail with `UnauthorizedCredentials` unless the app's key is valid when it commits, or ends by it. */
  abstract commitOnlyIfValid(app: AuthenticatedApp): void;
}

export interface SecretKeyOptions {
  /** Names a query parameter in which previous clients send the key. */
  readonly alsoInQuery?: string;
  /** A restricted key may make the call too if it has any of these scopes. Without them the call is closed to restricted keys. */
  readonly scopes?: KeyScope | readonly KeyScope[];
  /**
   * The call stays within the binding of a bound key: it reads and changes only objects that a field or the path names by an id, and the
   * handler itself obeys `app.restriction` in everything else, such as lists. Without it the call is closed to bound keys.
   */
  readonly keepsBinding?: boolean;
}

/** The credential that a route requires. A route without one refuses every request. */
export type Credential =
  | ({ readonly kind: 'secret' } & SecretKeyOptions)
  | { readonly kind: 'public' }
  | {
      readonly kind: 'management';
      readonly role: ManagementRole;
      readonly isSignIn?: boolean;
      readonly needsProof?: boolean;
    }
  | { readonly kind: 'none'; readonly rate: PublicRate };

/** The rate limit of a route that needs no key. `pages` is ten times the rate of `calls`, counted apart. */
export type PublicRate = 'calls' | 'pages' | 'unlimited';

export const CREDENTIAL = 'credential';

/** The request after its key was recognised. `@App()` and `@Caller()` read these properties. */
export interface AuthenticatedRequest extends Request {
  // Express itself uses `app`.
  app_?: AuthenticatedApp;
  managementCaller?: ManagementCaller;
  /** The holder of a valid key of another kind than the route requires. The request is refused. */
  otherCaller?: { readonly keyId: string; readonly id?: AuthenticatedApp['id'] };
}

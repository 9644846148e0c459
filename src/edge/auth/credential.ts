import type { Request } from 'express';
import type { DefaultWalletType } from '../../kernel/chain/chain-name.js';
import type { AppId, KeyId } from '../../kernel/ids.js';
import type { KeyBinding, KeyRestriction, KeyScope } from '../../kernel/key-restriction.js';
import type { ManagementRole } from '../../kernel/management-role.js';

export interface AuthenticatedApp {
  readonly id: AppId;
  readonly keyId: string;
  readonly name: string;
  readonly mode: 'test' | 'live';
  readonly defaultWalletType: DefaultWalletType;
  readonly allowedOrigins: readonly string[];
  readonly callsPerSecond: number;
  readonly restriction: KeyRestriction | null;
  /** Only for a token that came with a proof (RFC 9449), which counts once. It is stored, so ask after the call has counted. */
  readonly isFirstUse?: () => Promise<boolean>;
}

export function bindingOf({ restriction }: AuthenticatedApp): KeyBinding | null {
  return restriction?.binding ?? null;
}

export interface RestrictedCaller {
  readonly keyId: KeyId;
  readonly scopes: readonly KeyScope[];
}

export interface BrowserSession {
  readonly provedAt: Date | null;
  /** The clock is that of the database. */
  readonly provedSecondsAgo: number | null;
}

export interface ManagementCaller {
  /** An operator without a key has `oidc:` and a name here, as the audit log keeps it. */
  readonly keyId: string;
  /** The operator who signed in at the OpenID provider; null for a key. */
  readonly operator: string | null;
  readonly role: ManagementRole;
  readonly expiresAt: Date | null;
  readonly session: BrowserSession | null;
}

/** Each method returns null for a key that is not valid or of another kind, and throws when the key cannot be looked up. */
export abstract class AppAuthenticator {
  abstract bySecretKey(key: string): AuthenticatedApp | null | Promise<AuthenticatedApp | null>;
  abstract byRestrictedKey(key: string, request: Request): AuthenticatedApp | null | Promise<AuthenticatedApp | null>;
  abstract byPublicToken(token: string): AuthenticatedApp | null | Promise<AuthenticatedApp | null>;
  abstract byManagementKey(key: string): ManagementCaller | null | Promise<ManagementCaller | null>;
  /** Null also once the key that began the session has ended. */
  abstract byManagementSession(token: string): ManagementCaller | null | Promise<ManagementCaller | null>;

  /** The current transaction fails with `UnauthorizedCredentials` unless the app's key is valid at COMMIT, or ends by it. */
  abstract commitOnlyIfValid(app: AuthenticatedApp): void;
}

export interface SecretKeyOptions {
  /** A query parameter in which previous clients send the key. */
  readonly alsoInQuery?: string;
  /** A restricted key needs any of these scopes. Without them the call is closed to restricted keys. */
  readonly scopes?: KeyScope | readonly KeyScope[];
  /** The call reaches only objects that a field or the path names, and the handler obeys `app.restriction` in lists and the rest. */
  readonly keepsBinding?: boolean;
}

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

/** `pages` is ten times the rate of `calls`, counted apart. */
export type PublicRate = 'calls' | 'pages' | 'unlimited';

export const CREDENTIAL = 'credential';

export interface AuthenticatedRequest extends Request {
  // Express itself uses `app`.
  app_?: AuthenticatedApp;
  managementCaller?: ManagementCaller;
  /** The holder of a valid key of another kind than the route requires. The request is refused. */
  otherCaller?: { readonly keyId: string; readonly id?: AuthenticatedApp['id'] };
}

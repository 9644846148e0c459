import type { Request } from 'express';
import type { KeyScope } from '../../kernel/key-restriction.js';
import type { ManagementRole } from '../../kernel/management-role.js';
import type { AuthenticatedApp, ManagementCaller } from '../http/authenticated-request.js';

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

export type PublicRate = 'calls' | 'unlimited';

export const CREDENTIAL = 'credential';

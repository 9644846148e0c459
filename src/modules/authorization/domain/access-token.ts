import type { AppId, GrantId, OauthClientId } from '../../../kernel/ids.js';
import type { Grant } from './grant.js';

/** The claims of an access token (RFC 9068) whose signature was checked. */
export interface AccessTokenClaims {
  readonly sub: string;
  readonly client_id: string;
  readonly aud: string;
  readonly jti: string;
  readonly iat: number;
  readonly exp: number;
  readonly scope?: string;
  /** The grant of the user for whom it stands; absent for client credentials. */
  readonly grant_id?: GrantId;
  /** The thumbprint of the key whose proof must come with the token (RFC 9449). */
  readonly cnf?: { readonly jkt: string };
  /** The client that acts, and the ones that acted before it (RFC 8693, section 4.1). */
  readonly act?: Actor;
  /** The grants of the tokens for which it was exchanged. It ends with each of them. */
  readonly subject_grants?: readonly GrantId[];
}

export interface Actor {
  readonly sub: string;
  readonly act?: Actor;
}

/** A token that has not ended. */
export interface LiveToken {
  readonly claims: AccessTokenClaims;
  readonly clientId: OauthClientId;
  /** Null for client credentials. */
  readonly grant: Grant | null;
}

/** Access tokens that are JWTs. They have no row until they are revoked. */
export abstract class AccessTokens {
  /** A token that this service has issued for the app and that has not ended since; null for any other text. */
  abstract read(appId: AppId, token: string): Promise<LiveToken | null>;

  /** Ends the token before its time. */
  abstract revoke(appId: AppId, token: Pick<AccessTokenClaims, 'jti' | 'exp'>): Promise<void>;
}

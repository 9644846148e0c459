import type { AppId, GrantId, OauthClientId } from '../../../kernel/ids.js';
import type { Grant } from './grant.js';

/** Claims of a signed RFC 9068 token. */
export interface AccessTokenClaims {
  readonly sub: string;
  readonly client_id: string;
  readonly aud: string;
  readonly jti: string;
  readonly iat: number;
  readonly exp: number;
  readonly scope?: string;
  readonly grant_id?: GrantId;
  /** The thumbprint of the key whose proof must come with the token (RFC 9449). */
  readonly cnf?: { readonly jkt: string };
  /** The acting client and those before it (RFC 8693, section 4.1). */
  readonly act?: Actor;
  /** The grants of the exchanged tokens. The token ends with each of them. */
  readonly subject_grants?: readonly GrantId[];
}

export interface Actor {
  readonly sub: string;
  readonly act?: Actor;
}

export interface LiveToken {
  readonly claims: AccessTokenClaims;
  readonly clientId: OauthClientId;
  readonly grant: Grant | null;
}

/** JWTs. They have no row until they are revoked. */
export abstract class AccessTokens {
  /** Null unless this service issued the token for the app and it has not ended. */
  abstract read(appId: AppId, token: string): Promise<LiveToken | null>;

  abstract revoke(appId: AppId, token: Pick<AccessTokenClaims, 'jti' | 'exp'>): Promise<void>;
}

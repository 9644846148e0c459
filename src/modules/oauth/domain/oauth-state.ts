import type { AppId, OauthConnectionId } from '../../../kernel/ids.js';
import type { TokenHash } from '../../../kernel/secret-tokens.js';
import type { SealContext, Sealed } from '../../../kernel/vault.js';

/** A login under way at a provider, identified by the hash of its state. */
export interface OauthState {
  readonly appId: AppId;
  readonly stateHash: TokenHash;
  readonly connectionId: OauthConnectionId;
  readonly loginUrl: string;
  readonly registrationUrl: string;
  readonly sealedVerifier: Sealed;
  readonly nonce: string;
  /** The hash of the cookie of the browser that began the login; null when a backend began it. */
  readonly browserHash: TokenHash | null;
  /** The app must later present its verifier (RFC 7636, S256). */
  readonly codeChallenge: string | null;
}

export interface ReturnedState extends OauthState {
  /** Whether this call spent it, in time. That is true for at most one call. */
  readonly isFresh: boolean;
}

export function verifierContext(appId: AppId, stateHash: TokenHash): SealContext {
  return ['oauth-code-verifier', appId, stateHash.toString('hex')];
}

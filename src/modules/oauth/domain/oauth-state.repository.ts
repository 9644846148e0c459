import type { AppId, OauthConnectionId } from '../../../kernel/ids.js';
import type { TokenHash } from '../../../kernel/secret-tokens.js';
import type { Sealed } from '../../../kernel/vault.js';

/** A login on its way through a provider, known by the hash of the state sent along. */
export interface OauthState {
  readonly appId: AppId;
  readonly stateHash: TokenHash;
  readonly connectionId: OauthConnectionId;
  readonly loginUrl: string;
  readonly registrationUrl: string;
  readonly sealedVerifier: Sealed;
  readonly nonce: string;
  /** Of the cookie of the browser that began the login; null when a backend began it. */
  readonly browserHash: TokenHash | null;
  /** What the app will have to show the verifier of (RFC 7636, S256). */
  readonly codeChallenge: string | null;
}

export interface ReturnedState extends OauthState {
  /** Whether this call is the one that spent it, in time. At most one ever is. */
  readonly isFresh: boolean;
}

export abstract class OauthStateRepository {
  /** Keeps the state for 10 minutes. */
  abstract add(state: OauthState): Promise<void>;

  /** Spends the state and returns it, also when it was spent before or came too late; null when there is none of this connection. */
  abstract consume(appId: AppId, connectionId: OauthConnectionId, stateHash: TokenHash): Promise<ReturnedState | null>;

  /** Forgets up to `limit` states of each app that are long over. Returns how many. */
  abstract removeEnded(limit: number): Promise<number>;
}

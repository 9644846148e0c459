import { createHash } from 'node:crypto';
import type { AppId, OauthConnectionId, ProviderIdentityId, UserId } from '../../../kernel/ids.js';
import type { TokenHash } from '../../../kernel/secret-tokens.js';
import type { SealContext, Sealed } from '../../../kernel/vault.js';

export const TICKET_MINUTES = 10;

export const LOGIN_TOKEN = 'oauth_token';

/** A separate purpose: an older replica that would accept a ticket without an identity outside a session does not find it. */
export const LINKING_TOKEN = 'oauth_linking_token';

/** A completed login that waits until the app's backend fetches it with the one-time token from the browser. */
export interface LoginTicket {
  readonly appId: AppId;
  readonly tokenHash: TokenHash;
  readonly userId: UserId;
  readonly connectionId: OauthConnectionId;
  readonly provider: string;
  readonly subject: string;
  /** Null: the user gains the identity when the ticket is spent in the user's session. */
  readonly providerIdentityId: ProviderIdentityId | null;
  readonly sealedTokens: Sealed;
  readonly codeChallenge: string | null;
  readonly isBrowserBound: boolean;
  readonly userCreated: boolean;
  /** The account, if its user has got it by this login. */
  readonly prepared: { readonly at: Date; readonly fields: readonly string[] } | null;
}

/** RFC 7636. A verifier without a challenge is refused: an attacker may have removed the challenge (RFC 9700, section 4.8.2). */
export function isProvedBy(
  codeVerifier: string | undefined,
  { codeChallenge }: Pick<LoginTicket, 'codeChallenge'>,
): boolean {
  if (codeVerifier === undefined || codeChallenge === null) return codeVerifier === undefined && codeChallenge === null;
  return createHash('sha256').update(codeVerifier).digest('base64url') === codeChallenge;
}

export function providerTokensContext(appId: AppId, tokenHash: TokenHash): SealContext {
  return ['oauth-provider-tokens', appId, tokenHash.toString('hex')];
}

export interface OauthState {
  readonly appId: AppId;
  readonly stateHash: TokenHash;
  readonly connectionId: OauthConnectionId;
  readonly loginUrl: string;
  readonly registrationUrl: string;
  readonly sealedVerifier: Sealed;
  readonly nonce: string;
  readonly browserHash: TokenHash | null;
  /** S256 (RFC 7636). */
  readonly codeChallenge: string | null;
}

export interface ReturnedState extends OauthState {
  readonly isFresh: boolean;
  /** A fresh state that this browser may spend is spent by this call alone. */
  readonly isOfBrowser: boolean;
}

export function verifierContext(appId: AppId, stateHash: TokenHash): SealContext {
  return ['oauth-code-verifier', appId, stateHash.toString('hex')];
}

export abstract class OauthLoginRepository {
  abstract addState(state: OauthState): Promise<void>;

  /** Returns spent and expired states too. A browser with another cookie, which has only seen the URL, must not end the login. */
  abstract consumeState(
    appId: AppId,
    connectionId: OauthConnectionId,
    stateHash: TokenHash,
    browserHash: TokenHash | null,
  ): Promise<ReturnedState | null>;

  abstract addTicket(ticket: LoginTicket, minutes: number): Promise<void>;

  /** Erases the stored tokens. At most one call succeeds; the others get null. */
  abstract consumeTicket(appId: AppId, tokenHash: TokenHash): Promise<LoginTicket | null>;

  abstract revokeTicketsOf(appId: AppId, userId: UserId): Promise<number>;
}

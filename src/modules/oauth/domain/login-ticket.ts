import { createHash } from 'node:crypto';
import type { AppId, OauthConnectionId, ProviderIdentityId, UserId } from '../../../kernel/ids.js';
import type { TokenHash } from '../../../kernel/secret-tokens.js';
import type { SealContext, Sealed } from '../../../kernel/vault.js';

/** How long the app may fetch a completed login. */
export const TICKET_MINUTES = 10;

/** The purpose under which tokens are hashed. */
export const LOGIN_TOKEN = 'oauth_token';

/** The purpose for tickets without an identity: a replica of a release that would accept one without the session does not find it. */
export const LINKING_TOKEN = 'oauth_linking_token';

/** A completed login that waits until the app's backend fetches it with the one-time token from the browser. */
export interface LoginTicket {
  readonly appId: AppId;
  readonly tokenHash: TokenHash;
  readonly userId: UserId;
  readonly connectionId: OauthConnectionId;
  readonly provider: string;
  readonly subject: string;
  /** Null: the user existed before, and gains the identity when the ticket is spent in a session of the user. */
  readonly providerIdentityId: ProviderIdentityId | null;
  /** The sealed tokens that the provider issued. */
  readonly sealedTokens: Sealed;
  readonly codeChallenge: string | null;
  /** Whether only the browser that began the login can have brought the token: by its cookie, or by the verifier of the app. */
  readonly isBrowserBound: boolean;
  /** Whether the login created the user. */
  readonly userCreated: boolean;
  /** The account, if its user has got it by this login. */
  readonly prepared: { readonly at: Date; readonly fields: readonly string[] } | null;
}

/**
 * Whether the app that redeems the ticket is the one that began the login (RFC 7636). A verifier without a challenge is
 * refused too: an attacker may have removed the challenge from the first request (RFC 9700, section 4.8.2).
 */
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
  /** Whether it had neither expired nor been spent. */
  readonly isFresh: boolean;
  /** Whether this browser may spend it: it began the login, or the login is bound to none. A fresh state is then spent by this call alone. */
  readonly isOfBrowser: boolean;
}

export function verifierContext(appId: AppId, stateHash: TokenHash): SealContext {
  return ['oauth-code-verifier', appId, stateHash.toString('hex')];
}

/** Stores a login on its way: the state until the callback, then the ticket until the app fetches the login. */
export abstract class OauthLoginRepository {
  /** Stores the state for 10 minutes. */
  abstract addState(state: OauthState): Promise<void>;

  /**
   * Returns the state, also when it was spent before or has expired; null when this connection has no such state. Spends it, unless
   * the login is bound to a browser with another cookie: one that has only seen the URL must not end the login.
   */
  abstract consumeState(
    appId: AppId,
    connectionId: OauthConnectionId,
    stateHash: TokenHash,
    browserHash: TokenHash | null,
  ): Promise<ReturnedState | null>;

  /** Stores the ticket, valid for the minutes, together with the events of the transaction. */
  abstract addTicket(ticket: LoginTicket, minutes: number): Promise<void>;

  /** Spends the ticket, erases its sealed tokens and returns both; null when it is unknown, expired or spent. At most one call succeeds. */
  abstract consumeTicket(appId: AppId, tokenHash: TokenHash): Promise<LoginTicket | null>;

  /** Spends all unspent tickets of the user. */
  abstract revokeTicketsOf(appId: AppId, userId: UserId): Promise<number>;
}

import { createHash } from 'node:crypto';
import type { AppId, OauthConnectionId, ProviderIdentityId, UserId } from '../../../kernel/ids.js';
import type { TokenHash } from '../../../kernel/secret-tokens.js';
import type { Sealed } from '../../../kernel/vault.js';

/** A finished login, waiting for the app's backend to fetch it with the one-time token the browser carries. */
export interface LoginTicket {
  readonly appId: AppId;
  readonly tokenHash: TokenHash;
  readonly userId: UserId;
  readonly connectionId: OauthConnectionId;
  readonly provider: string;
  readonly subject: string;
  readonly providerIdentityId: ProviderIdentityId;
  /** What the provider issued. */
  readonly sealedTokens: Sealed;
  readonly codeChallenge: string | null;
}

/**
 * Whether whoever redeems the ticket is who began the login (RFC 7636). A verifier without a challenge is refused too:
 * the challenge may have been stripped from the request that began the login (RFC 9700, section 4.8.2).
 */
export function isProvedBy(
  codeVerifier: string | undefined,
  { codeChallenge }: Pick<LoginTicket, 'codeChallenge'>,
): boolean {
  if (codeVerifier === undefined || codeChallenge === null) return codeVerifier === undefined && codeChallenge === null;
  return createHash('sha256').update(codeVerifier).digest('base64url') === codeChallenge;
}

import { Text, Token } from '../../../edge/http/fields.js';
import { SessionArgumentsRequest, SessionFieldsResponse } from '../../session/index.js';
import type { VerifiedLogin } from '../application/verify-oauth-token.js';
import { Example } from '../../../edge/openapi/plugin-schemas.js';
import { EXAMPLES } from '../../../kernel/examples.js';

export class VerifyOauthTokenRequest extends SessionArgumentsRequest {
  /** The token from the query of the login or registration URL. */
  @Token({ example: EXAMPLES.token })
  readonly token!: string;

  /** The verifier (RFC 7636) of the login's `code_challenge`; required if the login has one. */
  @Text({
    pattern: /^[A-Za-z0-9._~-]{43,128}$/,
    patternName: 'a code verifier of 43 to 128 characters',
    optional: true,
  })
  readonly code_verifier?: string;
}

export class ProviderTokensResponse {
  @Example('demo-access-token')
  readonly access_token!: string;
  /** The refresh token; empty if the provider issued none. */
  @Example('')
  readonly refresh_token!: string;
}

/** Contains the same tokens twice, because clients read either place. */
export class ProviderSessionResponse extends ProviderTokensResponse {
  /** The tokens that the identity provider issued. The service keeps no copy after this response. */
  readonly idp!: ProviderTokensResponse;
}

/** A completed login. */
export class OauthSessionResponse extends SessionFieldsResponse {
  /** The user's identifier at the identity provider. */
  @Example('1234567890')
  readonly provider_subject!: string;
  /** The name of the identity provider. */
  @Example(EXAMPLES.provider)
  readonly provider!: string;
  readonly user_id!: string;
  /**
   * Whether the browser that brought the token is the one that began the login: it had the cookie of `redirect=true`, or the
   * `code_verifier` was shown. If false, an attacker may have begun the login, and the user of the browser is then signed in to the
   * account of the attacker.
   */
  readonly browser_bound!: boolean;
  readonly idp_session!: ProviderSessionResponse;

  static async of({ ticket, providerTokens, session }: VerifiedLogin): Promise<OauthSessionResponse> {
    const tokens = { access_token: providerTokens.accessToken, refresh_token: providerTokens.refreshToken };
    return {
      provider_subject: ticket.subject,
      provider: ticket.provider,
      user_id: ticket.userId,
      browser_bound: ticket.isBrowserBound,
      idp_session: { idp: tokens, ...tokens },
      ...(await SessionFieldsResponse.fieldsOf(session)),
    };
  }
}

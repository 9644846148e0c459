import { ApiSchema } from '@nestjs/swagger';
import type { LoginFields } from '../../../edge/idempotency/repeated-logins.js';
import { Flag, MAX_LENGTH, Text, Token } from '../../../edge/http/fields.js';
import { Example } from '../../../edge/openapi/plugin-schemas.js';
import { SessionArgumentsRequest, VerifiedUserResponse } from '../../session/index.js';
import type { VerifiedLogin } from '../application/verify-oauth-token.js';
import { EXAMPLES } from '../../../kernel/examples.js';

export class BeginOauthLoginRequest {
  /** Whether to redirect the browser to the provider instead of returning the URL, so that a login button can link here. */
  @Flag({ optional: true })
  readonly redirect?: boolean;

  /** The registered URL to which existing users of the app are sent; by default the app's default login URL. */
  @Text({ max: MAX_LENGTH.url, optional: true })
  readonly login_redirect_url?: string;

  /** The registered URL to which new users of the app are sent; by default the app's default registration URL. */
  @Text({ max: MAX_LENGTH.url, optional: true })
  readonly registration_redirect_url?: string;

  /**
   * An S256 code challenge (RFC 7636), with or without `redirect`. Verifying the token then requires the `code_verifier`. Required without
   * `redirect=true` if `oauth_begin` of the app is `bound`.
   */
  @Text({ pattern: /^[A-Za-z0-9_-]{43}$/, patternName: 'a SHA-256 hash in base64url', optional: true })
  readonly code_challenge?: string;
}

@ApiSchema({ description: "The URL of the provider's login page, to which the browser must be sent." })
export class BeginOauthLoginResponse {
  /** The provider's login page, with the callback, the state and the scopes in its query. */
  @Example('https://accounts.google.com/o/oauth2/v2/auth?client_id=demo-client')
  readonly redirect_url!: string;
}

export class BeginOperatorSignInQuery {
  /** The path of the page to which the operator returns. One outside the console, or of over 512 characters, is ignored. */
  @Text({ max: MAX_LENGTH.url, optional: true })
  readonly return_to?: string;

  /** Whether the operator proves anew who they are, unless that was in the last 5 minutes: a call needs a fresh proof. */
  @Flag({ optional: true })
  readonly proof?: boolean;
}

@ApiSchema({ description: 'The OpenID provider at which operators sign in.' })
export class OperatorSignInResponse {
  /** The issuer; empty if operators sign in with management keys only. */
  @Example('')
  readonly issuer!: string;
}

/** The parameters that a provider returns, in the query or in a form. Unknown fields are ignored. */
export class OauthCallbackRequest {
  /** The `state` of the URL to which the login was sent. */
  @Text({ max: MAX_LENGTH.text, optional: true, example: 'the state of the login' })
  readonly state?: string;

  /** The authorization code; present after a login that succeeded. */
  @Text({ max: MAX_LENGTH.token, optional: true, example: 'the code of the provider' })
  readonly code?: string;

  /** The error code of OAuth 2.0; present after a login that failed. */
  @Text({ max: MAX_LENGTH.text, optional: true })
  readonly error?: string;

  /** The provider's issuer (RFC 9207). */
  @Text({ max: MAX_LENGTH.url, optional: true })
  readonly iss?: string;

  /** The name of a user who signs in for the first time, as apple sends it. */
  @Text({ max: MAX_LENGTH.token, optional: true })
  readonly user?: string;
}

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
  /** The access token that the provider issued. */
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

@ApiSchema({ description: 'The user who logged in, and the session if the request asks for one.' })
export class OauthSessionResponse extends VerifiedUserResponse {
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
  /** The tokens of the identity provider. */
  readonly idp_session!: ProviderSessionResponse;

  static async of({ ticket, providerTokens, session }: VerifiedLogin): Promise<OauthSessionResponse> {
    const tokens = { access_token: providerTokens.accessToken, refresh_token: providerTokens.refreshToken };
    return {
      provider_subject: ticket.subject,
      provider: ticket.provider,
      user_id: ticket.userId,
      browser_bound: ticket.isBrowserBound,
      idp_session: { idp: tokens, ...tokens },
      ...(await VerifiedUserResponse.verifiedFieldsOf({ ...ticket, session })),
    };
  }
}

type ProviderFields = Omit<OauthSessionResponse, keyof VerifiedUserResponse>;

type StoredProviderLogin = readonly [
  provider: string,
  subject: string,
  isBrowserBound: boolean,
  tokens: readonly [access: string, refresh: string],
];

/** The fields are stored without their names, and the tokens of the provider once. */
export const PROVIDER_FIELDS: LoginFields<
  ProviderFields,
  { readonly user_id: string; readonly login: StoredProviderLogin }
> = {
  stored: ({ user_id, provider, provider_subject, browser_bound, idp_session: { idp } }) => ({
    user_id,
    login: [provider, provider_subject, browser_bound, [idp.access_token, idp.refresh_token]],
  }),
  restored: ({ user_id, login: [provider, provider_subject, browser_bound, [access_token, refresh_token]] }) => {
    const idp = { access_token, refresh_token };
    return { provider_subject, provider, user_id, browser_bound, idp_session: { idp, ...idp } };
  },
};

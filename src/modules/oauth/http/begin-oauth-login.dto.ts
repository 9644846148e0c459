import { Flag, MAX_LENGTH, Text } from '../../../edge/http/fields.js';
import { Example } from '../../../edge/openapi/plugin-schemas.js';

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

export class BeginOauthLoginResponse {
  /** The provider's login page, with the callback, the state and the scopes in its query. */
  @Example('https://accounts.google.com/o/oauth2/v2/auth?client_id=demo-client')
  readonly redirect_url!: string;
}

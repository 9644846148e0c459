import { Flag, MAX_LENGTH, Text } from '../../../edge/http/fields.js';

export class BeginOauthLoginRequest {
  /** Redirect the browser to the provider instead of answering the URL, so that this address can be a login button. */
  @Flag({ optional: true })
  readonly redirect?: boolean;

  /** Where users are sent who are known to the app; must be registered. Default: the app's default login URL. */
  @Text({ max: MAX_LENGTH.url, optional: true })
  readonly login_redirect_url?: string;

  /** Where users are sent who are new to the app; must be registered. Default: the app's default registration URL. */
  @Text({ max: MAX_LENGTH.url, optional: true })
  readonly registration_redirect_url?: string;

  /** An S256 code challenge (RFC 7636). The token can then only be verified along with its `code_verifier`. */
  @Text({ pattern: /^[A-Za-z0-9_-]{43}$/, patternName: 'a SHA-256 hash in base64url', optional: true })
  readonly code_challenge?: string;
}

export class BeginOauthLoginResponse {
  /** The provider's login page, with the callback, a state and the scopes in its query. */
  readonly redirect_url: string;
}

import { MAX_LENGTH, Text } from '../../../edge/http/fields.js';

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

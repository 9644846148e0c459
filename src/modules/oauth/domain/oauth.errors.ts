import { DomainError } from '../../../kernel/domain-error.js';

export class OauthProviderNotFound extends DomainError {
  static override readonly code = 'oauth_provider_not_found';
  static override readonly kind = 'not_found';
  static override readonly help =
    'The name is none of the built-in identity providers, and the app has no connection to an OpenID Connect provider under it.';
  constructor() {
    super('There is no identity provider of this name.');
  }
}

export class InvalidOauthToken extends DomainError {
  static override readonly code = 'invalid_oauth_token';
  static override readonly kind = 'invalid';
  static override readonly help =
    'The token is unknown, spent, expired (it lives 10 minutes) or of another app, or the code_verifier is not the one ' +
    'behind the code_challenge the login began with. Begin the login again.';
  constructor() {
    super('The token is not valid, or not with this code_verifier.');
  }
}

/** A state that names no login: nobody to send the browser back to. */
export class InvalidOauthState extends DomainError {
  static override readonly code = 'invalid_oauth_state';
  static override readonly kind = 'invalid';
  static override readonly help =
    'The state the identity provider sent back belongs to no login. Begin the login again.';
  constructor() {
    super('This login is not known here. Please begin it again.');
  }
}

export class OauthStateExpired extends DomainError {
  static override readonly code = 'oauth_state_expired';
  static override readonly kind = 'invalid';
  static override readonly help =
    'A login must return from the identity provider within 10 minutes, and only once. Begin the login again.';
  constructor() {
    super('The login took too long or was completed before. Please begin it again.');
  }
}

export class OauthBrowserMismatch extends DomainError {
  static override readonly code = 'oauth_browser_mismatch';
  static override readonly kind = 'forbidden';
  static override readonly help =
    'A login begun with redirect=true can only be completed in the browser that began it, recognised by a cookie.';
  constructor() {
    super('The login was begun in another browser, or the browser keeps no cookies.');
  }
}

/** Named as OAuth 2.0 names it (RFC 6749, section 4.1.2.1), so that apps meet one word for it. */
export class AccessDenied extends DomainError {
  static override readonly code = 'access_denied';
  static override readonly kind = 'forbidden';
  static override readonly help = 'The user, or the identity provider on their behalf, said no to the login.';
  constructor() {
    super('The login was declined at the identity provider.');
  }
}

/** The provider answered, but not with a login that can be trusted. The cause is for the log. */
export class ProviderRejected extends DomainError {
  static override readonly code = 'provider_error';
  static override readonly kind = 'invalid';
  static override readonly help =
    'The identity provider reported an error or sent something that cannot be trusted: a wrong client id or secret, an ' +
    'id_token that does not verify, endpoints that may not be called. The log of the service names the reason.';
  constructor(reason: string, options?: ErrorOptions) {
    super('The identity provider did not complete the login.');
    this.cause = options?.cause;
    this.reason = reason;
  }
  /** For the operator: what was wrong, without a word of what was sent. */
  readonly reason: string;
}

export class ProviderUnavailable extends DomainError {
  static override readonly code = 'provider_unavailable';
  static override readonly kind = 'unavailable';
  static override readonly help =
    'The identity provider did not answer, not in time, or with an error of its own. Try again later.';
  override readonly retryAfterSeconds = 30;
  constructor(
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super('The identity provider cannot be reached at the moment.');
    this.cause = options?.cause;
  }
}

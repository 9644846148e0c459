import { DomainError, refusal } from '../../../kernel/domain-error.js';
import { LoginRefused, loginRefusal } from '../../../kernel/refusals.js';

export class OauthProviderNotFound extends refusal('not_found', 'oauth_provider_not_found', {
  message: 'There is no identity provider with this name. Create a connection to it first.',
  help: 'The name is not a built-in identity provider, and the app has no connection to an OpenID Connect provider with this name. Create the connection first.',
}) {}

export class InvalidOauthToken extends loginRefusal('invalid', 'invalid_oauth_token', {
  message: 'The token is not valid, or the code_verifier does not match it. Begin the login again.',
  help: 'The token is unknown, spent, expired (after 10 minutes) or belongs to another app, or the code_verifier does not match the code_challenge of the login. Begin the login again.',
}) {}

export class InvalidOauthState extends refusal('invalid', 'invalid_oauth_state', {
  message: 'This login is unknown. Please begin it again.',
  help: 'The state that the identity provider returned belongs to no login. Begin the login again.',
}) {}

export class OauthStateExpired extends loginRefusal('invalid', 'oauth_state_expired', {
  message: 'The login took too long or was completed before. Please begin it again.',
  help: 'A login must return from the identity provider within 10 minutes, and only once. Begin the login again.',
}) {}

export class OauthBrowserMismatch extends loginRefusal('forbidden', 'oauth_browser_mismatch', {
  message: 'The login began in another browser, or the browser does not keep cookies. Please begin it again.',
  help: 'A login that began with redirect=true must be completed in the same browser, which a cookie identifies. Begin the login again.',
}) {}

/** Has the name of OAuth 2.0 (RFC 6749, section 4.1.2.1), so that apps handle one name. */
export class AccessDenied extends loginRefusal('forbidden', 'access_denied', {
  message: 'The login was declined at the identity provider.',
  help: 'The user, or the identity provider on behalf of the user, declined the login.',
}) {}

export class OperatorSignInNotConfigured extends refusal('not_found', 'operator_sign_in_not_configured', {
  message: 'This service has no OpenID provider for operators. Sign in with a management key.',
  help: 'The setting CONSOLE_OIDC_ISSUER names the OpenID provider at which operators sign in to the console. Without it they use management keys.',
}) {}

export class OperatorHasNoRole extends refusal('forbidden', 'operator_has_no_role', {
  message: 'You are known at the OpenID provider, but your account there gives you no role in this console.',
  help: 'The claims of the operator fit no rule of the setting CONSOLE_OIDC_ROLES. Give the operator the group or the claim that a rule names.',
}) {}

export class OperatorProofTooWeak extends refusal('forbidden', 'operator_proof_too_weak', {
  message: 'The OpenID provider does not say that you proved who you are as this console requires.',
  help: 'The settings CONSOLE_OIDC_MAX_AGE and CONSOLE_OIDC_ACR require `auth_time` and `acr` in the id_token: a recent proof, of one of these kinds. Let the provider state them, and sign in there again.',
}) {}

/** The reason is for the log only. */
export class ProviderRejected extends LoginRefused {
  static override readonly code = 'provider_error';
  static override readonly kind = 'invalid';
  static override readonly help =
    'The identity provider reported an error or sent an answer that cannot be trusted: a wrong client id or secret, an ' +
    'id_token that does not verify, endpoints that may not be called. The log of the service contains the reason.';
  constructor(reason: string, options?: ErrorOptions) {
    super('The identity provider did not complete the login.');
    this.cause = options?.cause;
    this.reason = reason;
  }
  /** Contains no value that the provider sent. */
  readonly reason: string;
}

export class ProviderUnavailable extends DomainError {
  static override readonly code = 'provider_unavailable';
  static override readonly kind = 'unavailable';
  static override readonly help =
    'The identity provider did not answer in time, or answered with a server error. Try again later.';
  override readonly retryAfterSeconds = 30;
  constructor(
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super('The identity provider is unavailable. Try again later.');
    this.cause = options?.cause;
  }
}

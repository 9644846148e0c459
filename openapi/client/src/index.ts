export { type Client, type ClientOptions, createClient } from './client.js';
export type { components, ErrorType, ErrorTypeOf, Event, paths, Problem } from './document.js';
export { ApiError, ok } from './errors.js';
export type { ItemOf, ListInit, ListPath } from './lists.js';
export type { RetryOptions } from './retries.js';
export {
  InvalidJwt,
  type JwtFault,
  KeysUnavailable,
  type SessionClaims,
  SessionVerifier,
  type SessionVerifierOptions,
} from './session-jwt.js';
export {
  InvalidWebhook,
  type WebhookFault,
  type WebhookHeaders,
  WebhookVerifier,
  type WebhookVerifierOptions,
} from './webhooks.js';

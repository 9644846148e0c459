export { type Client, type ClientOptions, createClient } from './client.js';
export type {
  App,
  Approval,
  ApproverGroup,
  AuditEntry,
  components,
  ErrorType,
  ErrorTypeOf,
  Event,
  Factor,
  OauthConnection,
  paths,
  Policy,
  PolicyDecision,
  PolicyRule,
  Problem,
  Session,
  Transfer,
  User,
  Wallet,
  WebhookEndpoint,
} from './document.js';
export { ApiError, NetworkError, ok } from './errors.js';
export type { CallOptions } from './calls.js';
export type { Id } from './ids.js';
export type { Resources } from './resources.js';
export type { ItemOf, ListInit, ListPath } from './lists.js';
export type { Attempt, EndedAttempt, Hooks, RetryOptions } from './retries.js';
export type { RevocationOptions } from './revocations.js';
export {
  type SessionCheck,
  type SessionCredentials,
  type SessionFault,
  SessionGuard,
  type SessionGuardOptions,
  sessionOf,
  SessionRefused,
} from './session-guard.js';
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

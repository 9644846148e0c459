import { type FieldError, refusal } from '../../../kernel/domain-error.js';

export class AppNotFound extends refusal('not_found', 'app_not_found', {
  message: 'There is no such app.',
  help: 'There is no app with this id, or it was deleted.',
}) {}

/** A subscriber of `AppDeleted` that still needs the app throws it. */
export class AppInUse extends refusal('conflict', 'app_in_use', {
  message: (reason: string) => `The app cannot be deleted yet: ${reason}.`,
  help: 'Something of the app is still under way and must end before the app is deleted.',
}) {}

export class KeyNotFound extends refusal('not_found', 'key_not_found', {
  message: 'The app has no such key.',
  help: 'The app has no key with this id, or it was revoked.',
}) {}

export class JobNotFound extends refusal('not_found', 'job_not_found', {
  message: 'The app has no such job.',
  help: 'The app has no background job with this id. A job that is done is not kept.',
}) {}

export class RedirectUrlNotFound extends refusal('not_found', 'redirect_url_not_found', {
  message: 'The app has no such redirect URL.',
  help: 'The app has no redirect URL with this id.',
}) {}

export class OauthConnectionNotFound extends refusal('not_found', 'oauth_connection_not_found', {
  message: 'The app has no such OAuth connection.',
  help: 'The app has no connection with this id, or none to this identity provider.',
}) {}

export class InvalidRedirectUrl extends refusal('invalid', 'invalid_redirect_url', {
  message: 'The redirect URL is not one the app may use or has registered.',
  help: 'Browsers are sent only to URLs registered for the app, compared in full. A URL can be registered when it is https (http also on loopback and in test mode), without credentials and without a fragment.',
}) {}

export class NoDefaultRedirectUrl extends refusal('invalid', 'no_default_redirect_url', {
  message: (kind: string) => `The app has no default redirect URL of kind ${kind}, and the request names none.`,
  help: 'The request names no redirect URL and the app has no default one of this kind. Register one with is_default, or send one.',
}) {}

export class DuplicateRedirectUrl extends refusal('conflict', 'duplicate_redirect_url', {
  message: 'The app already has this redirect URL of this kind.',
  help: 'This URL is already registered for this purpose.',
}) {}

export class DuplicateOauthConnection extends refusal('conflict', 'duplicate_oauth_connection', {
  message: (provider: string) => `The app already has a connection to ${provider}.`,
  help: 'An app has at most one connection to each identity provider: update that one, or delete it first.',
}) {}

export class InvalidOauthConnection extends refusal('invalid', 'invalid_oauth_connection', {
  message: (fields: readonly FieldError[]) =>
    `The connection is not valid: ${fields.map(({ field, message }) => `${field} ${message}`).join(', ')}.`,
  help: 'Each provider wants its own fields: client_secret for most, team_id, key_id and private_key for apple, issuer for a provider that is not built in.',
  fields: (_message, [fields]) => fields,
}) {}

export class InvalidAsset extends refusal('invalid', 'invalid_asset', {
  message: (problem: string, _field?: string) => `The list cannot be used: ${problem}.`,
  help: 'An asset is an ERC-20 contract or an SPL mint under a name and a symbol that nothing else of the app has. Addresses are written as their chain has them.',
  fields: (_message, [problem, field = 'assets']) => [{ field, rule: 'invalid', message: problem }],
}) {}

export class InvalidAllowedOrigin extends refusal('invalid', 'invalid_allowed_origin', {
  message: 'One of the allowed origins is not an exact origin the app may use.',
  help: 'An allowed origin is written exactly as browsers send it: scheme, host and port, nothing behind. It is https; http also on loopback and in test mode.',
  fields: () => [
    { field: 'allowed_origins', rule: 'origin', message: 'must be exact origins such as https://app.example.com' },
  ],
}) {}

export class InvalidExpiry extends refusal('invalid', 'invalid_expires_at', {
  message: 'expires_at must lie in the future.',
  help: 'A key must end after it was made: expires_at must be a time in the future.',
  fields: () => [{ field: 'expires_at', rule: 'future', message: 'must lie in the future' }],
}) {}

export class InvalidTemplate extends refusal('invalid', 'invalid_template', {
  message: (fields: readonly FieldError[]) =>
    `The template is not valid: ${fields.map(({ field, message }) => `${field} ${message}`).join(', ')}.`,
  help: 'A template of mails has text and html together, both with {{link}} (or {{code}}, where the mail is about a code); further placeholders are {{app_name}}, {{greeting}} and {{expires_in}}. Values are escaped where they are put in.',
  fields: (_message, [fields]) => fields,
}) {}

import { refusal } from '../../kernel/domain-error.js';
import type { ManagementRole } from '../../kernel/management-role.js';

/** The kinds of keys: their name, their prefix and how a request carries them. */
const KEYS = {
  secret: { name: 'secret key', prefix: 'sk_', sentAs: 'Authorization: Bearer sk_…' },
  public: { name: 'public token', prefix: 'pk_', sentAs: '?public_token=pk_…' },
  management: { name: 'management key', prefix: 'mk_', sentAs: 'Authorization: Bearer mk_…' },
} as const;

export type KeyKind = keyof typeof KEYS;

/** Says the same for a missing key and a wrong one, because the difference would help guessing. */
export class UnauthorizedCredentials extends refusal('unauthenticated', 'unauthorized_credentials', {
  message: (required: KeyKind) =>
    `The ${KEYS[required].name} is missing or not valid. Send it as \`${KEYS[required].sentAs}\`.`,
  help: 'The key is missing, malformed, unknown, expired or revoked. Send `Authorization: Bearer <key>` once, with a key of this app; a public token is sent as `?public_token=<token>`.',
}) {}

export class WrongKeyKind extends refusal('forbidden', 'wrong_key_kind', {
  message: (required: KeyKind) => `This endpoint requires a ${KEYS[required].name} (${KEYS[required].prefix}…).`,
  help: 'The key is valid but of another kind than this endpoint requires: secret (sk_), public (pk_) or management (mk_).',
}) {}

export class MissingRole extends refusal('forbidden', 'missing_role', {
  message: (needed: ManagementRole) => `This call requires a management key with the role ${needed}.`,
  help: 'The management key is valid, but its role does not permit this call: `auditor` may only read, `operator` may not change apps, keys, redirect URLs or OAuth connections, `owner` may do everything. The message names the role needed; the command line makes keys with a role.',
}) {}

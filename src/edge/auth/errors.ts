import { DomainError } from '../../kernel/domain-error.js';
import type { ManagementRole } from '../../kernel/management-role.js';

/** The kinds of keys: what they are called, how they begin and how a request carries them. */
const KEYS = {
  secret: { name: 'secret key', prefix: 'sk_', sentAs: 'Authorization: Bearer sk_…' },
  public: { name: 'public token', prefix: 'pk_', sentAs: '?public_token=pk_…' },
  management: { name: 'management key', prefix: 'mk_', sentAs: 'Authorization: Bearer mk_…' },
} as const;

export type KeyKind = keyof typeof KEYS;

export class UnauthorizedCredentials extends DomainError {
  static override readonly code = 'unauthorized_credentials';
  static override readonly kind = 'unauthenticated';
  static override readonly help =
    'The key is missing, malformed, unknown, expired or revoked. Send `Authorization: Bearer <key>` once, with a key of this app; a public token is sent as `?public_token=<token>`.';
  /** Says the same for a missing key and a wrong one, because the difference would help guessing. */
  constructor(required: KeyKind) {
    super(`The ${KEYS[required].name} is missing or not valid. Send it as \`${KEYS[required].sentAs}\`.`);
  }
}

export class WrongKeyKind extends DomainError {
  static override readonly code = 'wrong_key_kind';
  static override readonly kind = 'forbidden';
  static override readonly help =
    'The key is valid but of another kind than this endpoint requires: secret (sk_), public (pk_) or management (mk_).';
  constructor(required: KeyKind) {
    super(`This endpoint requires a ${KEYS[required].name} (${KEYS[required].prefix}…).`);
  }
}

export class MissingRole extends DomainError {
  static override readonly code = 'missing_role';
  static override readonly kind = 'forbidden';
  static override readonly help =
    'The management key is valid, but its role does not permit this call: `auditor` may only read, `operator` may not change apps, keys, redirect URLs or OAuth connections, `owner` may do everything. The message names the role needed; the command line makes keys with a role.';
  constructor(needed: ManagementRole) {
    super(`This call requires a management key with the role ${needed}.`);
  }
}

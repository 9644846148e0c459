import { randomInt } from 'node:crypto';
import type { DataOf } from '../../../kernel/entity.js';
import { type AppId, type KeyId, newId } from '../../../kernel/ids.js';
import type { TokenHash, TokenPurpose } from '../../../kernel/secret-tokens.js';
import type { AppMode } from './app-mode.js';
import { InvalidExpiry } from './apps.errors.js';

export const KEY_KINDS = ['secret', 'public'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

/** One credential of an app. Its text is shown once; only the hash stays. */
export class ApiKey {
  readonly appId!: AppId;
  readonly id!: KeyId;
  readonly kind!: KeyKind;
  readonly name!: string;
  readonly hash!: TokenHash;
  readonly createdAt!: Date;
  /** Exact to the minute. */
  readonly lastUsedAt!: Date | null;
  readonly expiresAt!: Date | null;
  readonly revokedAt!: Date | null;

  private constructor(data: DataOf<ApiKey>) {
    Object.assign(this, data);
  }

  static create(
    { appId, kind, name, expiresAt }: { appId: AppId; kind: KeyKind; name: string; expiresAt: Date | null },
    hash: TokenHash,
    now: Date,
  ): ApiKey {
    if (expiresAt && expiresAt <= now) throw new InvalidExpiry();
    return new ApiKey({
      appId,
      id: newId('key'),
      kind,
      name,
      hash,
      createdAt: now,
      lastUsedAt: null,
      expiresAt,
      revokedAt: null,
    });
  }
}

/** A fresh key of an app: `sk_live_` or its like, and 48 random base62 characters. */
export function mintKey(kind: KeyKind, mode: AppMode): string {
  return `${kind === 'secret' ? 'sk' : 'pk'}_${mode}_${randomBase62()}`;
}

/** A fresh key of the management API. */
export function mintManagementKey(): string {
  return `mk_${randomBase62()}`;
}

export type CredentialKind = KeyKind | 'management';

/** What each kind of key is hashed for, so that none is found where another is looked for. */
export const PURPOSES = {
  secret: 'secret_key',
  public: 'public_token',
  management: 'management_key',
} as const satisfies Record<CredentialKind, TokenPurpose>;

const FORMS: readonly (readonly [CredentialKind, RegExp])[] = [
  ['secret', /^sk_(test|live)_[0-9A-Za-z]{48}$/],
  ['public', /^pk_(test|live)_[0-9A-Za-z]{48}$/],
  ['management', /^mk_[0-9A-Za-z]{32,128}$/],
];

/** What a text would be if it were a key; null when no key looks like that. */
export function kindOfKey(text: string): CredentialKind | null {
  return FORMS.find(([, form]) => form.test(text))?.[0] ?? null;
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** `randomInt` draws again instead of taking a remainder, so every character is equally likely. */
function randomBase62(): string {
  return Array.from({ length: 48 }, () => BASE62[randomInt(BASE62.length)]).join('');
}

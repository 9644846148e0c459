import type { DataOf } from '../../../kernel/entity.js';
import { type AppId, type KeyId, newId, type UserId, type WalletId } from '../../../kernel/ids.js';
import type { KeyRestriction } from '../../../kernel/key-restriction.js';
import type { TokenHash } from '../../../kernel/secret-tokens.js';
import type { AppMode } from './app-mode.js';
import { InvalidExpiry } from './apps.errors.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';

export const KEY_KINDS = ['secret', 'public', 'restricted'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

export interface KeyOptions extends Pick<ApiKey, 'kind' | 'name' | 'expiresAt'> {
  readonly restriction?: KeyRestriction;
}

/** The key's text is shown once; only the hash is stored. */
export class ApiKey {
  declare readonly appId: AppId;
  declare readonly id: KeyId;
  declare readonly kind: KeyKind;
  declare readonly name: string;
  declare readonly hash: TokenHash;
  /** Set for the kind `restricted` only. It never changes. */
  declare readonly restriction: KeyRestriction | null;
  declare readonly createdAt: Date;
  /** Exact to the minute. */
  declare readonly lastUsedAt: Date | null;
  declare readonly expiresAt: Date | null;
  declare readonly revokedAt: Date | null;

  private constructor(data: DataOf<ApiKey>) {
    Object.assign(this, data);
  }

  static create(
    { appId, kind, name, restriction, expiresAt }: { readonly appId: AppId } & KeyOptions,
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
      restriction: restriction ?? null,
      createdAt: now,
      lastUsedAt: null,
      expiresAt,
      revokedAt: null,
    });
  }
}

export function keyText(kind: KeyKind, mode: AppMode, random: string): string {
  return `${PREFIXES[kind]}_${mode}_${random}`;
}

const PREFIXES: Readonly<Record<KeyKind, string>> = { secret: 'sk', public: 'pk', restricted: 'rk' };

type CredentialKind = KeyKind | 'management';

/** The purpose under which each kind of key is hashed, so that a look-up for one kind never finds a key of another kind. */
export const PURPOSES = {
  secret: 'secret_key',
  public: 'public_token',
  restricted: 'restricted_key',
  management: 'management_key',
} as const satisfies Record<CredentialKind, string>;

const FORMS: Readonly<Record<CredentialKind, RegExp>> = {
  secret: /^sk_(test|live)_[0-9A-Za-z]{48}$/,
  public: /^pk_(test|live)_[0-9A-Za-z]{48}$/,
  restricted: /^rk_(test|live)_[0-9A-Za-z]{48}$/,
  management: /^mk_[0-9A-Za-z]{32,128}$/,
};

export function hasFormOf(kind: CredentialKind, text: string): boolean {
  return FORMS[kind].test(text);
}

export abstract class ApiKeyRepository {
  abstract insert(...keys: readonly ApiKey[]): Promise<void>;

  /** Takes effect on this replica at once, on every other replica within half a second. */
  abstract revoke(appId: AppId, id: KeyId): Promise<boolean>;

  /** Unless it ends earlier, the key ends at this time. False if the app has no such key of this kind that is not revoked. */
  abstract endAt(appId: AppId, id: KeyId, kind: KeyKind, at: Date): Promise<boolean>;

  abstract revokeBound(appId: AppId, userId: UserId, walletIds: readonly WalletId[]): Promise<readonly KeyId[]>;

  /** Lists the keys that are not revoked. */
  abstract list(appId: AppId, page: PageRequest, filter?: { readonly kind?: KeyKind }): Promise<Page<ApiKey>>;

  /** Includes revoked keys. */
  abstract namesOf(appId: AppId, ids: readonly string[]): Promise<readonly (readonly [id: string, name: string])[]>;
}

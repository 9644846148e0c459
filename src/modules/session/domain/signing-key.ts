import type { AppId, SigningKeyId } from '../../../kernel/ids.js';
import type { Sealed } from '../../../kernel/vault.js';

/** `next` is published before it signs, and `previous` until every JWT that it signed has expired. */
type SigningKeyState = 'next' | 'current' | 'previous';

export interface PublicJwk {
  readonly kty: 'RSA';
  readonly n: string;
  readonly e: string;
  readonly kid: SigningKeyId;
  readonly alg: 'RS256';
  readonly use: 'sig';
  readonly key_ops: 'verify'[];
}

/** Every key in the table is in the app's JWKS. */
export class SigningKey {
  declare readonly appId: AppId;
  declare readonly id: SigningKeyId;
  declare readonly state: SigningKeyState;
  /** Derived from the sealed key, and read only while that cannot be opened. */
  declare readonly publicJwk: PublicJwk;
  /** Authenticates `publicJwk`; null for keys of earlier releases until they are opened. */
  declare readonly publicMac: Buffer | null;
  /** PKCS #8, sealed in the context `signing-key`, app, key. */
  declare readonly sealedPrivateKey: Sealed;
  declare readonly activatedAt: Date | null;
  declare readonly retiredAt: Date | null;
  declare readonly createdAt: Date;
}

export type NewSigningKey = Pick<SigningKey, 'id' | 'publicJwk' | 'sealedPrivateKey'> & { readonly publicMac: Buffer };

export interface RotationPeriods {
  readonly publishedMinutes: number;
  readonly retentionMinutes: number;
}

/** At most one next and one current key of an app, enforced by the database. */
export abstract class SigningKeyRepository {
  /** Newest first. Null: there is no such app. */
  abstract of(appId: AppId): Promise<SigningKey[] | null>;

  /** Commits at once, outside the caller's transaction, because the keys are published and may sign. Only one of several calls stores. */
  abstract createFirst(appId: AppId, current: NewSigningKey, next: NewSigningKey): Promise<void>;

  /** False, and no change, if `next` is too young: so one of several concurrent calls rotates. Needs a transaction. */
  abstract rotate(appId: AppId, next: NewSigningKey, periods: RotationPeriods): Promise<boolean>;

  abstract authenticate(appId: AppId, id: SigningKeyId, publicJwk: PublicJwk, publicMac: Buffer): Promise<void>;

  abstract dueForRotation(days: number, limit: number): Promise<AppId[]>;
}

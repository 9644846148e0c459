import type { AppId, SigningKeyId } from '../../../kernel/ids.js';
import type { Sealed } from '../../../kernel/vault.js';

/** `next` is published before it signs, and `previous` until every JWT that it signed has expired. */
type SigningKeyState = 'next' | 'current' | 'previous';

/** The public half, as the JWKS shows it. */
export interface PublicJwk {
  readonly kty: 'RSA';
  readonly n: string;
  readonly e: string;
  readonly kid: SigningKeyId;
  readonly alg: 'RS256';
  readonly use: 'sig';
  readonly key_ops: 'verify'[];
}

/** A key an app signs its session JWTs with. Every key in the table is in the app's JWKS. */
export class SigningKey {
  declare readonly appId: AppId;
  declare readonly id: SigningKeyId;
  declare readonly state: SigningKeyState;
  /** The public half. The service derives it from the sealed key, and reads it only while that cannot be opened. */
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

/** An app's signing keys: at most one next and one current, enforced by the database. */
export abstract class SigningKeyRepository {
  /** All keys of the app, newest first; empty before its first. Null when there is no such app. */
  abstract of(appId: AppId): Promise<SigningKey[] | null>;

  /**
   * Stores the first keys of the app. Of concurrent calls, only one stores keys. It commits at once, outside the caller's
   * transaction, because the keys are published and may sign.
   */
  abstract createFirst(appId: AppId, current: NewSigningKey, next: NewSigningKey): Promise<void>;

  /**
   * Makes current previous and next current, and stores `next` as the new next; deletes keys retired for
   * `retentionMinutes`. Changes nothing and returns false if the next key was published for less than
   * `publishedMinutes`, so only one of several concurrent calls rotates. Needs a transaction.
   */
  abstract rotate(appId: AppId, next: NewSigningKey, periods: RotationPeriods): Promise<boolean>;

  /** Stores the public half and its MAC for a key that has no MAC yet. */
  abstract authenticate(appId: AppId, id: SigningKeyId, publicJwk: PublicJwk, publicMac: Buffer): Promise<void>;

  /** Up to `limit` apps whose current key has been signing for `days` or longer. */
  abstract dueForRotation(days: number, limit: number): Promise<AppId[]>;
}

import type { AppId, SigningKeyId } from '../../../kernel/ids.js';
import type { Sealed } from '../../../kernel/vault.js';

/** `next` is published before it signs, and `previous` until every JWT that it signed has expired. */
export type SigningKeyState = 'next' | 'current' | 'previous';

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
  /** The public half for operators to read. The service itself derives it from the sealed key. */
  declare readonly publicJwk: PublicJwk;
  /** PKCS #8, sealed in the context `signing-key`, app, key. */
  declare readonly sealedPrivateKey: Sealed;
  declare readonly activatedAt: Date | null;
  declare readonly retiredAt: Date | null;
  declare readonly createdAt: Date;
}

export type NewSigningKey = Pick<SigningKey, 'id' | 'publicJwk' | 'sealedPrivateKey'>;

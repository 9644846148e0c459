import { decodeCredentialPublicKey } from '@simplewebauthn/server/helpers';
import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';

/** The labels of COSE keys (RFC 9052 and 9053); those of RSA keys are defined in RFC 8230. */
const [KTY, ALG, CRV, X, Y] = [1, 3, -1, -2, -3] as const;
const [RSA_N, RSA_E] = [-1, -2] as const;

/**
 * Whether the key is one of its algorithm that can check signatures which only its holder can make. A key that cannot check any
 * would count as a sign-in method and sign no user in. Throws for parts that are missing or of no such key.
 */
export function isSound(publicKey: Uint8Array): boolean {
  const key = decodeCredentialPublicKey(Uint8Array.from(publicKey)) as unknown as ReadonlyMap<number, unknown>;
  const bytes = (label: number): string => base64urlOf(key.get(label));
  const isOf = (kty: number, crv?: number): boolean =>
    key.get(KTY) === kty && (crv === undefined || key.get(CRV) === crv);
  switch (key.get(ALG)) {
    case -7:
      // The import refuses points that are not on the curve.
      return isOf(2, 1) && imported({ kty: 'EC', crv: 'P-256', x: bytes(X), y: bytes(Y) }).type === 'public';
    case -8:
      return isOf(1, 6) && imported({ kty: 'OKP', crv: 'Ed25519', x: bytes(X) }).type === 'public';
    case -257:
      return isOf(3) && isStrong(imported({ kty: 'RSA', n: bytes(RSA_N), e: bytes(RSA_E) }));
    default:
      return false;
  }
}

function base64urlOf(part: unknown): string {
  if (!(part instanceof Uint8Array)) throw new TypeError('A part of a COSE key is no bytes.');
  return Buffer.from(part).toString('base64url');
}

function imported(key: JsonWebKey): KeyObject {
  return createPublicKey({ format: 'jwk', key });
}

/** A signature of an RSA key with the exponent 1 is the text itself. Authenticators make keys with the usual exponent, so another one is a sign of a forged key. */
function isStrong({ asymmetricKeyDetails: { modulusLength = 0, publicExponent = 0n } = {} }: KeyObject): boolean {
  return modulusLength >= 2_048 && publicExponent === 65_537n;
}

import { Injectable } from '@nestjs/common';
import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server';
import { decodeAttestationObject, decodeCredentialPublicKey, isoCBOR } from '@simplewebauthn/server/helpers';
import { createPublicKey, generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto';
import {
  type AssertionJson,
  type AttestationJson,
  type AttestedKey,
  Authenticators,
} from '../domain/authenticators.js';
import { InvalidPasskey, UNSOUND_KEY } from '../domain/passkey.errors.js';
import { ALGORITHMS, type Passkey, type PasskeyUse } from '../domain/passkey.js';
import type { PasskeySettings } from '../domain/passkey-settings.js';

/** An RSA key of 4,096 bits has 534 bytes; the signature of a much larger one would take too long to check. */
const MAX_KEY_BYTES = 1_024;

@Injectable()
export class SimplewebauthnAuthenticators extends Authenticators {
  attested(answer: AttestationJson, { rpId, origins }: PasskeySettings): Promise<AttestedKey | null> {
    return orNull(async () => {
      const { id, clientDataJSON, challenge } = answer;
      const attestationObject = withoutCertificates(answer.attestationObject);
      const { registrationInfo } = await verifyRegistrationResponse({
        response: { ...envelope(id), response: { clientDataJSON, attestationObject } },
        expectedChallenge: challenge,
        expectedOrigin: [...origins],
        expectedRPID: rpId,
        requireUserVerification: true,
        supportedAlgorithmIDs: [...ALGORITHMS],
      });
      if (!registrationInfo) return null;
      const { credential, credentialDeviceType, credentialBackedUp } = registrationInfo;
      // The library takes the id of the signed data and does not compare it.
      if (credential.id !== id || credential.publicKey.length > MAX_KEY_BYTES) return null;
      // The library does not use the key if the attestation is unsigned.
      if (!isSound(credential.publicKey)) throw new InvalidPasskey(undefined, UNSOUND_KEY);
      return {
        publicKey: Buffer.from(credential.publicKey),
        signCount: credential.counter,
        isBackupEligible: credentialDeviceType === 'multiDevice',
        isBackedUp: credentialBackedUp,
      };
    });
  }

  accepts(publicKey: Buffer): boolean {
    try {
      return publicKey.length <= MAX_KEY_BYTES && isSound(publicKey);
    } catch {
      return false;
    }
  }

  asserted(
    answer: AssertionJson,
    { rpId, origins }: PasskeySettings,
    passkey: Passkey | null,
  ): Promise<PasskeyUse | null> {
    return orNull(async () => {
      const { id, clientDataJSON, authenticatorData, signature, challenge } = answer;
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response: { ...envelope(id), response: { clientDataJSON, authenticatorData, signature } },
        expectedChallenge: challenge,
        expectedOrigin: [...origins],
        expectedRPID: rpId,
        requireUserVerification: true,
        // The library would refuse a counter that does not rise, which is only a signal here.
        credential: { id, publicKey: Uint8Array.from(passkey?.publicKey ?? KEY_OF_NO_PASSKEY), counter: 0 },
      });
      // A browser signs for the passkey's own domain only; other software may sign for any.
      if (!verified || passkey?.rpId !== rpId) return null;
      const { newCounter, credentialDeviceType, credentialBackedUp } = authenticationInfo;
      const isBackupEligible = credentialDeviceType === 'multiDevice';
      return { signCount: newCounter, isBackupEligible, isBackedUp: credentialBackedUp };
    });
  }
}

const envelope = (id: string) => ({ id, rawId: id, type: 'public-key', clientExtensionResults: {} }) as const;

/** Some authenticators send certificates unasked. The library would fetch revocation lists from addresses in them. */
function withoutCertificates(attestationObject: string): string {
  const attestation = decodeAttestationObject(Uint8Array.from(Buffer.from(attestationObject, 'base64url')));
  const format = attestation.get('fmt');
  if (format === 'none' || (format === 'packed' && attestation.get('attStmt').get('x5c') === undefined))
    return attestationObject;
  const none = new Map<string | number, Parameters<typeof isoCBOR.encode>[0]>([
    ['fmt', 'none'],
    ['attStmt', new Map()],
    ['authData', attestation.get('authData')],
  ]);
  return Buffer.from(isoCBOR.encode(none)).toString('base64url');
}

/** The library refuses by errors of many kinds, also for CBOR that it cannot read. */
async function orNull<T>(check: () => Promise<T | null>): Promise<T | null> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof InvalidPasskey) throw error;
    return null;
  }
}

/** A P-256 key in COSE whose private half is lost. */
const KEY_OF_NO_PASSKEY = cosePoint();

function cosePoint(): Buffer {
  const { x, y } = createPublicKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey).export({
    format: 'jwk',
  });
  const [bx, by] = [Buffer.from(x!, 'base64url'), Buffer.from(y!, 'base64url')];
  // The CBOR map is {1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y}.
  return Buffer.concat([Buffer.from('a5010203262001215820', 'hex'), bx, Buffer.from('225820', 'hex'), by]);
}

/** The labels of COSE keys (RFC 9052 and 9053); those of RSA keys are defined in RFC 8230. */
const [KTY, ALG, CRV, X, Y] = [1, 3, -1, -2, -3] as const;
const [RSA_N, RSA_E] = [-1, -2] as const;

/** A key that cannot check a signature would count as a sign-in method and sign no user in. Throws for missing parts. */
function isSound(publicKey: Uint8Array): boolean {
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

/** With the exponent 1 a signature is the text itself. Authenticators use the usual exponent; another one is a sign of a forged key. */
function isStrong({ asymmetricKeyDetails: { modulusLength = 0, publicExponent = 0n } = {} }: KeyObject): boolean {
  return modulusLength >= 2_048 && publicExponent === 65_537n;
}

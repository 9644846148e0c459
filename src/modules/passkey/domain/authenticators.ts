import { randomBytes } from 'node:crypto';
import type { AppId, UserId } from '../../../kernel/ids.js';
import type { TokenHash } from '../../../kernel/secret-tokens.js';
import type { Passkey, PasskeyUse } from './passkey.js';
import type { PasskeySettings } from './passkey-settings.js';
import { InvalidPasskey } from './passkey.errors.js';

/** A key pair that an authenticator has made. */
export interface AttestedKey extends PasskeyUse {
  /** The public key in COSE form. */
  readonly publicKey: Buffer;
}

/** Checks responses of authenticators by WebAuthn level 3, but not whether the service issued the challenge. Null is a refusal. */
export abstract class Authenticators {
  /** Throws `InvalidPasskey` for a key of a kind that is not accepted. */
  abstract attested(answer: AttestationJson, settings: PasskeySettings): Promise<AttestedKey | null>;

  /** Whether it is a public key in COSE form with which a signature can be checked. */
  abstract accepts(publicKey: Buffer): boolean;

  /** Takes as long without a passkey as with one, and returns null. */
  abstract asserted(
    answer: AssertionJson,
    settings: PasskeySettings,
    passkey: Passkey | null,
  ): Promise<PasskeyUse | null>;
}

/** The fields that both kinds of authenticator response have. Binary values are canonical base64url within their bounds. */
interface AnswerJson {
  readonly id: string;
  readonly clientDataJSON: string;
  /** The challenge that the response states, in base64url. */
  readonly challenge: string;
}

/** The result of `navigator.credentials.create`. */
export interface AttestationJson extends AnswerJson {
  readonly attestationObject: string;
  readonly transports: readonly string[];
}

/** The result of `navigator.credentials.get`. */
export interface AssertionJson extends AnswerJson {
  readonly authenticatorData: string;
  readonly signature: string;
  /** Which user the authenticator holds the passkey for, when it says so. */
  readonly userHandle: string | null;
}

/** The maximum sizes in bytes. The specification bounds ids at 1,023; the other bounds are several times the sizes that authenticators send. */
export const MAX_BYTES = {
  id: 1_023,
  clientData: 8_192,
  attestation: 16_384,
  authenticatorData: 4_096,
  signature: 1_024,
  userHandle: 64,
};

/** The parts of a registered credential, an object or JSON text. Throws `InvalidPasskey`. */
export function attestationIn(credential: unknown): AttestationJson {
  const { response, ...answer } = answerIn(credential);
  return {
    ...answer,
    attestationObject: binary(response['attestationObject'], MAX_BYTES.attestation),
    transports: transportsIn(response['transports']),
  };
}

/** The parts of a credential that signs in, an object or JSON text. Throws `InvalidPasskey`. */
export function assertionIn(credential: unknown): AssertionJson {
  const { response, ...answer } = answerIn(credential);
  const userHandle = response['userHandle'] ?? null;
  return {
    ...answer,
    authenticatorData: binary(response['authenticatorData'], MAX_BYTES.authenticatorData),
    signature: binary(response['signature'], MAX_BYTES.signature),
    userHandle: userHandle === null || userHandle === '' ? null : binary(userHandle, MAX_BYTES.userHandle),
  };
}

function answerIn(credential: unknown): AnswerJson & { readonly response: Json } {
  const json = objectIn(typeof credential === 'string' ? parsed(credential) : credential);
  const response = objectIn(json['response']);
  const id = binary(json['id'], MAX_BYTES.id);
  // If the two ids differed, the service would look up one and verify the other one.
  if (binary(json['rawId'], MAX_BYTES.id) !== id || json['type'] !== 'public-key') throw new InvalidPasskey();
  const clientDataJSON = binary(response['clientDataJSON'], MAX_BYTES.clientData);
  const clientData = objectIn(parsed(Buffer.from(clientDataJSON, 'base64url').toString()));
  // A page of another origin that frames the page of the app could make the user sign in without noticing.
  if ((clientData['crossOrigin'] ?? false) !== false || clientData['topOrigin'] !== undefined)
    throw new InvalidPasskey();
  return { id, clientDataJSON, challenge: binary(clientData['challenge'], 32), response };
}

type Json = Readonly<Record<string, unknown>>;

function objectIn(value: unknown): Json {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw new InvalidPasskey();
  return value as Json;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidPasskey();
  }
}

/**
 * The bytes in base64url, of which equal ones are equal texts. Clients whose code encodes them itself send base64, padded and with line
 * breaks too.
 */
function binary(value: unknown, maxBytes: number): string {
  if (typeof value !== 'string' || value === '' || value.length > 2 * maxBytes) throw new InvalidPasskey();
  const text = value
    .replace(/[\r\n]/g, '')
    .replace(/=+$/, '')
    .replaceAll('+', '-')
    .replaceAll('/', '_');
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length === 0 || bytes.length > maxBytes || bytes.toString('base64url') !== text) throw new InvalidPasskey();
  return text;
}

const TRANSPORT = /^[a-z-]{1,32}$/;

/** The transports, sorted as browsers list them. They are only hints for browsers, so any other value is left out. */
export function transportsIn(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  const hints = value.filter((item): item is string => typeof item === 'string' && TRANSPORT.test(item));
  return [...new Set(hints)].toSorted().slice(0, 10);
}

/** The purpose of a challenge: the signed challenge of one purpose never serves the other. */
export type ChallengePurpose = 'registration' | 'authentication';

/** 32 random bytes that an authenticator signs once, by their hash. */
export interface Challenge {
  readonly hash: TokenHash;
  readonly purpose: ChallengePurpose;
  /** The only user whose passkey may sign; null permits any user of the app. */
  readonly userId: UserId | null;
}

export const CHALLENGE_SECONDS = 300;

/** The purpose under which challenges are hashed. */
export const CHALLENGE_TOKEN = 'webauthn_challenge';

/** A new challenge in base64url. */
export function mintChallenge(): string {
  return randomBytes(32).toString('base64url');
}

/** Challenges that wait for their signature, each for `CHALLENGE_SECONDS` by the database's clock. */
export abstract class ChallengeRepository {
  abstract add(appId: AppId, challenge: Challenge): Promise<void>;

  /**
   * Spends the challenge for a passkey of the user and returns it; null when it is unknown, expired, spent, of another purpose
   * or another user's. At most one caller gets it.
   */
  abstract spend(appId: AppId, hash: TokenHash, purpose: ChallengePurpose, userId: UserId): Promise<Challenge | null>;

  abstract removeAllOf(appId: AppId, userId: UserId): Promise<number>;
}

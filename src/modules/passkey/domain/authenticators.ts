import { randomBytes } from 'node:crypto';
import type { AppId, UserId } from '../../../kernel/ids.js';
import type { TokenHash } from '../../../kernel/secret-tokens.js';
import type { Passkey, PasskeyUse } from './passkey.js';
import type { PasskeySettings } from './passkey-settings.js';
import { InvalidPasskey } from './passkey.errors.js';

export interface AttestedKey extends PasskeyUse {
  /** COSE. */
  readonly publicKey: Buffer;
}

/** Checks by WebAuthn level 3, but not whether the service issued the challenge. Null is a refusal. */
export abstract class Authenticators {
  abstract attested(answer: AttestationJson, settings: PasskeySettings): Promise<AttestedKey | null>;

  abstract accepts(publicKey: Buffer): boolean;

  /** Takes as long without a passkey as with one, and returns null. */
  abstract asserted(
    answer: AssertionJson,
    settings: PasskeySettings,
    passkey: Passkey | null,
  ): Promise<PasskeyUse | null>;
}

/** Binary values are canonical base64url within their bounds. */
interface AnswerJson {
  readonly id: string;
  readonly clientDataJSON: string;
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
  readonly userHandle: string | null;
}

/** Bytes. WebAuthn bounds ids at 1,023; the other bounds are several times the sizes that authenticators send. */
export const MAX_BYTES = {
  id: 1_023,
  clientData: 8_192,
  attestation: 16_384,
  authenticatorData: 4_096,
  signature: 1_024,
  userHandle: 64,
};

/** `credential` is an object or JSON text. */
export function attestationIn(credential: unknown): AttestationJson {
  const { response, ...answer } = answerIn(credential);
  return {
    ...answer,
    attestationObject: binary(response['attestationObject'], MAX_BYTES.attestation),
    transports: transportsIn(response['transports']),
  };
}

/** `credential` is an object or JSON text. */
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
  // If the ids differed, the service would look up one and verify the other one.
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

/** Equal bytes become equal texts. Clients that encode the bytes themselves also send base64 with padding and line breaks. */
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

/** The transports are hints for browsers, so any other value is left out. Browsers list them sorted. */
export function transportsIn(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  const hints = value.filter((item): item is string => typeof item === 'string' && TRANSPORT.test(item));
  return [...new Set(hints)].toSorted().slice(0, 10);
}

/** A challenge of one purpose never serves the other. */
export type ChallengePurpose = 'registration' | 'authentication';

export interface Challenge {
  readonly hash: TokenHash;
  readonly purpose: ChallengePurpose;
  /** Null permits any user of the app. */
  readonly userId: UserId | null;
}

export const CHALLENGE_SECONDS = 300;

export const CHALLENGE_TOKEN = 'webauthn_challenge';

export function mintChallenge(): string {
  return randomBytes(32).toString('base64url');
}

/** Challenges expire after `CHALLENGE_SECONDS` by the database's clock. */
export abstract class ChallengeRepository {
  abstract add(appId: AppId, challenge: Challenge): Promise<void>;

  /** Null when it is unknown, expired, spent, of another purpose or another user's. At most one caller gets it. */
  abstract spend(appId: AppId, hash: TokenHash, purpose: ChallengePurpose, userId: UserId): Promise<Challenge | null>;

  abstract removeAllOf(appId: AppId, userId: UserId): Promise<number>;
}

import type { AssertionJson, AttestationJson } from './credential-json.js';
import type { Passkey } from './passkey.js';
import type { PasskeySettings } from './passkey-settings.js';

/** A key pair that an authenticator has made. */
export interface AttestedKey {
  /** The public key in COSE form. */
  readonly publicKey: Buffer;
  readonly signCount: number;
  readonly isBackupEligible: boolean;
  readonly isBackedUp: boolean;
}

/** The statements of an authenticator besides its signature. */
export interface VerifiedAssertion {
  readonly signCount: number;
  readonly isBackedUp: boolean;
}

/** Checks responses of authenticators by WebAuthn level 3, but not whether the service issued the challenge. Null is a refusal. */
export abstract class Authenticators {
  /** Throws `InvalidPasskey` for a key of a kind that is not accepted. */
  abstract attested(answer: AttestationJson, settings: PasskeySettings): Promise<AttestedKey | null>;

  /** Takes as long without a passkey as with one, and returns null. */
  abstract asserted(
    answer: AssertionJson,
    settings: PasskeySettings,
    passkey: Passkey | null,
  ): Promise<VerifiedAssertion | null>;
}

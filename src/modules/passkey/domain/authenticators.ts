import type { AssertionJson, AttestationJson } from './credential-json.js';
import type { Passkey } from './passkey.js';
import type { WebauthnSettings } from './webauthn-settings.js';

/** A key pair that an authenticator has made. */
export interface AttestedKey {
  /** COSE. */
  readonly publicKey: Buffer;
  readonly signCount: number;
  readonly isBackupEligible: boolean;
  readonly isBackedUp: boolean;
}

/** What an authenticator states besides its signature. */
export interface VerifiedAssertion {
  readonly signCount: number;
  readonly isBackedUp: boolean;
}

/** Checks answers of authenticators by WebAuthn level 3, but not whether the challenge is one of ours. Null: refused. */
export abstract class Authenticators {
  /** Throws `InvalidWebauthnCredential` for a key of a kind that is not accepted. */
  abstract attested(answer: AttestationJson, settings: WebauthnSettings): Promise<AttestedKey | null>;

  /** Takes as long without a passkey as with one, and returns null. */
  abstract asserted(
    answer: AssertionJson,
    settings: WebauthnSettings,
    passkey: Passkey | null,
  ): Promise<VerifiedAssertion | null>;
}

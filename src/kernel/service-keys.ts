import type { KeyObject } from 'node:crypto';

/** The vault seals one secret of 32 bytes, which is the same on every replica and never changes. All keys are derived from it. */
export abstract class ServiceKeys {
  /** The HMAC-SHA-256 key of a purpose, such as `token hash`; no key reveals another. Throws `KeysUnavailable` until the secret is open. */
  abstract derive(purpose: string): KeyObject;

  /** False while the key provider has not responded since the start. */
  abstract readonly isOpen: boolean;

  abstract whenOpen(): Promise<void>;
}

import type { KeyObject } from 'node:crypto';

/**
 * The keys by which the service recognises values that it wrote itself, such as the hash of a token or a link of the audit chain. They are
 * derived from one random secret of 32 bytes, which is stored sealed by the vault, is the same on every replica and never changes.
 */
export abstract class ServiceKeys {
  /**
   * The HMAC-SHA-256 key of a purpose, such as `token hash`. The same purpose always gives the same key, and no key reveals
   * another. It is derived at its first use. Throws `KeysUnavailable` until the secret is open.
   */
  abstract derive(purpose: string): KeyObject;

  /** False while the key provider has not responded since the start. */
  abstract readonly isOpen: boolean;

  /** Resolves when the secret is open. */
  abstract whenOpen(): Promise<void>;
}

import type { BrokenLink } from './chain-check.js';

/** Reports that the signer refuses to sign. */
export abstract class SigningAlarm {
  /** @param appId empty for the chain of no app, `head` for the head of the service. */
  abstract raise(appId: string, fault: BrokenLink): void;
}

import type { AppId } from '../../../kernel/ids.js';

/** Keeps the service from being pointed at its own network. */
export abstract class IssuerCheck {
  /** Rejects when the issuer is at an address this service must not call, and when the app has too many names looked up at a time. */
  abstract assertCallable(appId: AppId, issuer: string): Promise<void>;
}

import type { AppId } from '../../../kernel/ids.js';

/** Keeps the service from being pointed at its own network. */
export abstract class CallableUrl {
  /**
   * Null, or why this service does not call the URL, as a sentence. A name that does not resolve now is accepted. Throws
   * `TooManyRequests` when the app has too many names looked up at a time.
   */
  abstract faultOf(appId: AppId, url: string): Promise<string | null>;
}

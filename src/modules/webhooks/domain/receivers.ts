import type { AppId } from '../../../kernel/ids.js';

/** The reason why a call to a receiver returned no response. `not_allowed`: its host has no public address. */
export type SendFailure = 'timeout' | 'unreachable' | 'not_allowed';

export interface ReceiverAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** The first part of the response. */
  readonly text: string;
}

/** The receivers of webhooks. The service must not be pointed at its own network by their URLs. */
export abstract class Receivers {
  /**
   * Posts the body and reads the response for at most 15 s. Redirects are not followed. Returns why there was no response instead of
   * throwing.
   */
  abstract post(
    appId: AppId,
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string,
  ): Promise<ReceiverAnswer | SendFailure>;

  /**
   * Null, or why this service does not call the URL, as a sentence. A name that does not resolve now is accepted. Throws
   * `TooManyRequests` when the app has too many names looked up at a time.
   */
  abstract faultOf(appId: AppId, url: string): Promise<string | null>;
}

import type { AppId } from '../../../kernel/ids.js';

/** The reason why a call to a receiver returned no response. `not_allowed`: its host has no public address. */
export type SendFailure = 'timeout' | 'unreachable' | 'not_allowed';

export interface ReceiverAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** The begin of the response. */
  readonly text: string;
}

/** Calls the receivers of webhooks. */
export abstract class WebhookSender {
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
}

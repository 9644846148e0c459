import type { AppId } from '../../../kernel/ids.js';

/** `not_allowed`: the host has no public address. */
export type SendFailure = 'timeout' | 'unreachable' | 'not_allowed';

export interface ReceiverAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly text: string;
}

export abstract class Receivers {
  /** Posts and reads the response for at most 15 s, without following redirects. Returns a failure instead of throwing it. */
  abstract post(
    appId: AppId,
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string,
  ): Promise<ReceiverAnswer | SendFailure>;

  /** A sentence why the URL is refused. A name that does not resolve now is accepted. Throws `TooManyRequests` after too many look-ups. */
  abstract faultOf(appId: AppId, url: string): Promise<string | null>;
}

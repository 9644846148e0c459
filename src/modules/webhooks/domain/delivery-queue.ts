import type { AppId, EventId, WebhookDeliveryId, WebhookEndpointId } from '../../../kernel/ids.js';
import type { WebhookEndpoint } from './webhook-endpoint.js';

/**
 * The maximum number of deliveries of one endpoint that a process attempts at a time, if the endpoint had a success recently; otherwise it
 * is one.
 */
export const MOST_OF_ENDPOINT = 64;
/** The maximum for one app, over all its endpoints. */
export const MOST_OF_APP = 128;
/** The maximum for one app and one host, over all endpoints. */
export const MOST_OF_HOST = 64;

export interface EndpointKey {
  readonly appId: AppId;
  readonly endpointId: WebhookEndpointId;
}

/** A delivery that this process may attempt until its lease ends. */
export interface ClaimedDelivery extends EndpointKey {
  readonly id: WebhookDeliveryId;
  readonly eventId: EventId;
  readonly lease: string;
  /** When it became due, as text with microseconds. A client that asks for the delivery during the attempt makes it due later than this. */
  readonly dueAt: string;
  /** Attempts before this one, since the delivery was created or sent again on request. */
  readonly tries: number;
  /** Claims without a stored result, this one included. */
  readonly claims: number;
  readonly url: string;
  /** The host of `url`. */
  readonly host: string;
  readonly sealedSecret: WebhookEndpoint['sealedSecret'];
  /** The previous secret; null once it no longer signs. */
  readonly sealedPreviousSecret: WebhookEndpoint['sealedPreviousSecret'];
  /** The stored text of the event; null when the event is older than the retention of events. */
  readonly body: string | null;
}

/** The knowledge of a process about an endpoint. */
export interface EndpointUse extends EndpointKey {
  /** The host of its URL, null while none of its deliveries is under way. */
  readonly host: string | null;
  /** The number of claimed deliveries without a result. */
  readonly used: number;
  /** Whether it had a success recently. */
  readonly isProven: boolean;
}

export interface Claim {
  readonly deliveries: readonly ClaimedDelivery[];
  /** The endpoints that were read, and whether more of their deliveries may be due than were claimed. */
  readonly endpoints: readonly (EndpointKey & { readonly hasMore: boolean })[];
  /** Whether due deliveries wait for their predecessors. The next claims do not read them again. */
  readonly hasParked: boolean;
  /** The app after which the next claim begins, so that every app is reached; empty for the first one. */
  readonly after: string;
}

/** One attempt, as clients see it. */
export interface Attempt {
  /** The time of the attempt, in epoch seconds. */
  readonly at: number;
  readonly status_code: number | null;
  readonly error: string | null;
  readonly duration_ms: number;
  /** The first kilobyte of the response. */
  readonly response: string | null;
}

export interface DeliveryResult {
  /**
   * `delivered`, `failed` and `abandoned` end the delivery; `abandoned` is not a failure of the endpoint. `retry` counts an attempt;
   * `postpone` does not, because none was made.
   */
  readonly outcome: 'delivered' | 'failed' | 'abandoned' | 'retry' | 'postpone';
  readonly waitSeconds: number;
  readonly attempt: Attempt | null;
}

export interface EndedAttempt extends DeliveryResult {
  readonly delivery: ClaimedDelivery;
}

export interface Recorded {
  /** Whether deliveries that were held back, or asked for during their attempt, may be claimed now. */
  readonly hasReleased: boolean;
  /** The endpoints that had no success for five days. */
  readonly lost: readonly EndpointKey[];
}

/** The pending deliveries of all apps. */
export abstract class DeliveryQueue {
  /**
   * Claims up to `limit` due deliveries for 30 s. No two callers get the same one. An endpoint, a host of an app and an app have a
   * bounded number at a time; `uses` are those of this process. An endpoint without a recent success gets one at a time, and one with
   * many failures after a pause. Where order matters, a
   * delivery waits until the one before it has ended.
   */
  abstract claim(limit: number, uses: readonly EndpointUse[], after: string): Promise<Claim>;

  /** Extends the leases that this process still holds. */
  abstract extend(deliveries: readonly ClaimedDelivery[]): Promise<void>;

  /** Stores results by one statement. The result of a delivery whose lease was lost changes nothing. */
  abstract record(results: readonly EndedAttempt[]): Promise<Recorded>;

  /**
   * Removes the deliveries that ended before this number of days, pending ones that are older, and those of endpoints and apps that were
   * deleted. It also creates the daily partitions of the next days.
   */
  abstract removeExpired(olderThanDays: number): Promise<void>;
}

/** The pauses between attempts: 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h. */
const STEPS_SECONDS = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

/** A part of each step that is chosen at random, so that deliveries that failed together are not repeated together. */
const SPREAD = 0.2;

/**
 * The pause after an attempt that failed, null after the last one. `tries` counts the attempts, that one included; `random` is between
 * 0 and 1. A receiver may ask for a longer pause, up to twice the step.
 */
export function pauseSeconds(tries: number, random: number, askedSeconds = 0): number | null {
  const step = STEPS_SECONDS[tries - 1];
  if (step === undefined) return null;
  return Math.max(step * (1 + SPREAD * (2 * random - 1)), Math.min(askedSeconds, 2 * step));
}

/** The seconds that a `Retry-After` header asks for: a number or a date. Undefined for any other text. */
export function retryAfterSeconds(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  const until = Date.parse(header);
  return Number.isNaN(until) ? undefined : Math.max(0, (until - now.getTime()) / 1000);
}

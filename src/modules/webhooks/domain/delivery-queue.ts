import type { AppId, EventId, WebhookDeliveryId, WebhookEndpointId } from '../../../kernel/ids.js';
import type { WebhookEndpoint } from './webhook-endpoint.js';

/** The maximum that a process attempts at a time for an endpoint with a recent success; for any other it is one. */
export const MOST_OF_ENDPOINT = 64;
export const MOST_OF_APP = 128;
export const MOST_OF_HOST = 64;

export interface EndpointKey {
  readonly appId: AppId;
  readonly endpointId: WebhookEndpointId;
}

export interface ClaimedDelivery extends EndpointKey {
  readonly id: WebhookDeliveryId;
  readonly eventId: EventId;
  readonly lease: string;
  /** Text with microseconds. A client that asks for the delivery during the attempt makes it due later than this. */
  readonly dueAt: string;
  /** Attempts before this one, since the delivery was created or sent again on request. */
  readonly tries: number;
  readonly claims: number;
  readonly url: string;
  readonly host: string;
  readonly sealedSecret: WebhookEndpoint['sealedSecret'];
  /** Null once it no longer signs. */
  readonly sealedPreviousSecret: WebhookEndpoint['sealedPreviousSecret'];
  /** Null when the event is older than the retention of events. */
  readonly body: string | null;
}

export interface EndpointUse extends EndpointKey {
  /** Null while none of its deliveries is under way. */
  readonly host: string | null;
  readonly used: number;
  readonly isProven: boolean;
}

export interface Claim {
  readonly deliveries: readonly ClaimedDelivery[];
  /** Every endpoint that was read; `hasMore`: more of its deliveries may be due than were claimed. */
  readonly endpoints: readonly (EndpointKey & { readonly hasMore: boolean })[];
  /** Whether due deliveries wait for their predecessors. The next claims do not read them again. */
  readonly hasParked: boolean;
  /** The app after which the next claim begins, so that every app is reached; empty for the first one. */
  readonly after: string;
}

export interface Attempt {
  /** Seconds since the epoch. */
  readonly at: number;
  readonly status_code: number | null;
  readonly error: string | null;
  readonly duration_ms: number;
  /** The first kilobyte of the response. */
  readonly response: string | null;
}

export interface DeliveryResult {
  /** `abandoned` ends the delivery and is not a failure of the endpoint. `postpone` counts no attempt. */
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
  readonly lost: readonly EndpointKey[];
}

export abstract class DeliveryQueue {
  /** No two callers get the same delivery, for 30 s. Where order matters, a delivery waits until its predecessor has ended. */
  abstract claim(limit: number, uses: readonly EndpointUse[], after: string): Promise<Claim>;

  abstract extend(deliveries: readonly ClaimedDelivery[]): Promise<void>;

  /** The result of a delivery whose lease was lost changes nothing. */
  abstract record(results: readonly EndedAttempt[]): Promise<Recorded>;

  /** Removes ended and pending deliveries that are older, and those of deleted endpoints and apps; creates the next daily partitions. */
  abstract removeExpired(olderThanDays: number): Promise<void>;
}

/** The pauses between attempts, from 5 s to 24 h. */
const STEPS_SECONDS = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

/** A part of each step that is chosen at random, so that deliveries that failed together are not repeated together. */
const SPREAD = 0.2;

/** Null after the last attempt. `tries` includes the failed one; `random` is in 0–1. A receiver may ask for up to twice the step. */
export function pauseSeconds(tries: number, random: number, askedSeconds = 0): number | null {
  const step = STEPS_SECONDS[tries - 1];
  if (step === undefined) return null;
  return Math.max(step * (1 + SPREAD * (2 * random - 1)), Math.min(askedSeconds, 2 * step));
}

export function retryAfterSeconds(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  const until = Date.parse(header);
  return Number.isNaN(until) ? undefined : Math.max(0, (until - now.getTime()) / 1000);
}

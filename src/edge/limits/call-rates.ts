import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { AuthenticatedApp } from '../auth/app-authenticator.js';
import { Config } from '../../services/config/config.js';
import { TooManyRequests } from '../../kernel/errors.js';
import { clientNetwork } from '../../services/limits/client-network.js';
import { type Taken, TokenBuckets } from './token-buckets.js';

/** A network may save up this many seconds of its rate for a burst; an app, which has thousands a second, one. */
const NETWORK_BURST_SECONDS = 3;
const APP_BURST_SECONDS = 1;

/**
 * The rates of calls, counted in the memory of each replica: they protect it from floods, so approximate is enough and
 * a round trip would cost more than it saves. Sends and wrong tries are counted in the database instead.
 */
@Injectable()
export class CallRates {
  private readonly apps = new TokenBuckets(APP_BURST_SECONDS);
  private readonly networks = new TokenBuckets(NETWORK_BURST_SECONDS);

  constructor(private readonly config: Config) {}

  /** Counts a call with a secret key. Writes the `RateLimit` headers; throws `TooManyRequests` when the app has used its rate up. */
  takeForApp(app: Pick<AuthenticatedApp, 'id' | 'callsPerSecond'>, response: Response): void {
    const capacity = app.callsPerSecond * APP_BURST_SECONDS;
    answer(this.apps.take(app.id, capacity), capacity, APP_BURST_SECONDS, response);
  }

  /** Counts a call without a valid secret key for the network it comes from; otherwise like `takeForApp`. */
  takeForNetwork(request: Request, response: Response): void {
    const capacity = this.config.publicRate * NETWORK_BURST_SECONDS;
    answer(this.networks.take(clientNetwork(request), capacity), capacity, NETWORK_BURST_SECONDS, response);
  }
}

/** The fields of draft-ietf-httpapi-ratelimit-headers-10: quota and window of the policy, what remains and when it is whole again. */
function answer(taken: Taken, quota: number, window: number, response: Response): void {
  response.setHeader('RateLimit-Policy', `"default";q=${quota};w=${window}`);
  response.setHeader('RateLimit', `"default";r=${taken.remaining};t=${Math.ceil(taken.secondsToFull)}`);
  if (!taken.allowed) throw new TooManyRequests(Math.ceil(taken.secondsToNext));
}

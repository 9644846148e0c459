import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { AuthenticatedApp } from '../http/authenticated-request.js';
import { Config } from '../../services/config/config.js';
import { TooManyRequests } from '../../kernel/errors.js';
import { clientNetwork, NETWORKS_PER_SITE, siteOf } from '../../services/limits/client-network.js';
import { type Taken, TokenBuckets } from './token-buckets.js';

/** The burst in seconds of the rate. An app has thousands of calls per second, so it needs a smaller one than a network. */
const NETWORK_BURST_SECONDS = 3;
const APP_BURST_SECONDS = 1;

/** Each replica counts in memory: this suffices against floods. Sends and wrong tries are counted in the database. */
@Injectable()
export class CallRates {
  private readonly apps = new TokenBuckets(APP_BURST_SECONDS);
  private readonly keys = new TokenBuckets(APP_BURST_SECONDS);
  private readonly networks = new TokenBuckets(NETWORK_BURST_SECONDS);

  constructor(private readonly config: Config) {}

  /** Writes the `RateLimit` headers. A call above the rate of its key takes nothing of the app's. */
  takeForApp(app: Pick<AuthenticatedApp, 'id' | 'keyId' | 'callsPerSecond' | 'restriction'>, response: Response): void {
    const rateOfKey = app.restriction?.callsPerSecond ?? null;
    if (rateOfKey !== null) {
      const ofKey = rateOfKey * APP_BURST_SECONDS;
      answer(this.keys.take(app.keyId, ofKey), ofKey, APP_BURST_SECONDS, response, 'key');
    }
    const capacity = app.callsPerSecond * APP_BURST_SECONDS;
    answer(this.apps.take(app.id, capacity), capacity, APP_BURST_SECONDS, response);
  }

  /** Counts further calls of an admitted call, such as a batch. It never refuses: the next calls wait instead. */
  chargeApp(app: Pick<AuthenticatedApp, 'id' | 'keyId' | 'callsPerSecond' | 'restriction'>, calls: number): void {
    const rateOfKey = app.restriction?.callsPerSecond ?? null;
    if (rateOfKey !== null) this.keys.charge(app.keyId, rateOfKey * APP_BURST_SECONDS, calls);
    this.apps.charge(app.id, app.callsPerSecond * APP_BURST_SECONDS, calls);
  }

  /** Each client that has proved who it is has the rate of its app. */
  takeForClient(clientId: string, callsPerSecond: number, response: Response): void {
    const capacity = callsPerSecond * APP_BURST_SECONDS;
    answer(this.keys.take(clientId, capacity), capacity, APP_BURST_SECONDS, response, 'client');
  }

  /** The call was a copy of one of the client's. */
  giveBackToClient(clientId: string, callsPerSecond: number): void {
    this.keys.charge(clientId, callsPerSecond * APP_BURST_SECONDS, -1);
  }

  /** A call without a valid secret key. An IPv6 site has many networks, so their calls count for the site too. */
  takeForNetwork(request: Request, response: Response): void {
    const network = clientNetwork(request);
    const site = siteOf(network);
    const capacity = this.config.publicRate * NETWORK_BURST_SECONDS;
    answer(this.networks.take(network, capacity), capacity, NETWORK_BURST_SECONDS, response);
    if (site === undefined) return;
    const ofSite = NETWORKS_PER_SITE * capacity;
    answer(this.networks.take(site, ofSite), ofSite, NETWORK_BURST_SECONDS, response, 'site');
  }
}

/** draft-ietf-httpapi-ratelimit-headers-10. */
function answer(taken: Taken, quota: number, window: number, response: Response, policy = 'default'): void {
  response.appendHeader('RateLimit-Policy', `"${policy}";q=${quota};w=${window}`);
  response.appendHeader('RateLimit', `"${policy}";r=${taken.remaining};t=${Math.ceil(taken.secondsToFull)}`);
  if (!taken.allowed) throw new TooManyRequests(Math.ceil(taken.secondsToNext));
}

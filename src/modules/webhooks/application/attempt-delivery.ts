import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock, epochSeconds } from '../../../kernel/clock.js';
import { KeysUnavailable } from '../../../kernel/errors.js';
import type { AppId } from '../../../kernel/ids.js';
import { Log } from '../../../kernel/log.js';
import { SealBroken } from '../../../kernel/vault.js';
import {
  type Attempt,
  type ClaimedDelivery,
  type DeliveryResult,
  pauseSeconds,
  retryAfterSeconds,
} from '../domain/delivery-queue.js';
import { Receivers } from '../domain/receivers.js';
import { WebhookEndpointNotFound } from '../domain/webhook.errors.js';
import { EndpointSecrets } from './endpoint-secrets.js';
import { ManageEndpoints } from './manage-endpoints.js';

const POSTPONE_SECONDS = 60;
const GONE = 410;
const RANDOM_STEPS = 1_000_000;

/** Sends an event to an endpoint once, and decides from the response how the delivery goes on. */
@Injectable()
export class AttemptDelivery {
  constructor(
    private readonly receivers: Receivers,
    private readonly secrets: EndpointSecrets,
    private readonly endpoints: ManageEndpoints,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  async execute(delivery: ClaimedDelivery): Promise<DeliveryResult> {
    const { appId, eventId, endpointId: id, url, body } = delivery;
    if (body === null) return this.giveUp(delivery, 'event_expired');
    if (!(await this.isReady(appId))) return { outcome: 'postpone', waitSeconds: POSTPONE_SECONDS, attempt: null };
    const began = this.clock.now();
    const timestamp = epochSeconds(began);
    const signatures = this.secrets.signatures({ ...delivery, id }, eventId, timestamp, body);
    if (signatures === null) return { outcome: 'postpone', waitSeconds: POSTPONE_SECONDS, attempt: null };

    const headers = {
      'Content-Type': 'application/json',
      'webhook-id': eventId,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signatures,
    };
    const answer = await this.receivers.post(appId, url, headers, body);
    const ended = this.clock.now();
    const base = { at: timestamp, duration_ms: Math.max(0, ended.getTime() - began.getTime()) };
    if (typeof answer === 'string') {
      return this.retry(delivery, { ...base, status_code: null, error: answer, response: null });
    }
    const { status, text, retryAfter } = answer;
    const attempt = { ...base, status_code: status, error: null, response: text };
    if (status >= 200 && status < 300) return { outcome: 'delivered', waitSeconds: 0, attempt };
    if (status === GONE) await this.disableGone(delivery);
    return this.retry(delivery, attempt, retryAfterSeconds(retryAfter, ended));
  }

  /** False while the key provider does not open the app's keys: that is not a failure of the endpoint. */
  private async isReady(appId: AppId): Promise<boolean> {
    try {
      await this.secrets.ready(appId);
      return true;
    } catch (error) {
      if (error instanceof KeysUnavailable || error instanceof SealBroken) return false;
      throw error;
    }
  }

  private retry({ tries }: ClaimedDelivery, attempt: Attempt, askedSeconds?: number): DeliveryResult {
    const waitSeconds = pauseSeconds(tries + 1, randomInt(RANDOM_STEPS) / RANDOM_STEPS, askedSeconds);
    return waitSeconds === null
      ? { outcome: 'failed', waitSeconds: 0, attempt }
      : { outcome: 'retry', waitSeconds, attempt };
  }

  giveUp({ appId, endpointId, id }: ClaimedDelivery, error: string): DeliveryResult {
    this.log.error({ app_id: appId, endpoint_id: endpointId, delivery: id, error }, 'a webhook delivery was given up');
    const at = epochSeconds(this.clock.now());
    return {
      outcome: 'abandoned',
      waitSeconds: 0,
      attempt: { at, status_code: null, error, duration_ms: 0, response: null },
    };
  }

  private async disableGone({ appId, endpointId, url }: ClaimedDelivery): Promise<void> {
    try {
      await this.endpoints.disable(appId, endpointId, 'gone', url);
    } catch (error) {
      if (!(error instanceof WebhookEndpointNotFound)) throw error;
    }
  }
}

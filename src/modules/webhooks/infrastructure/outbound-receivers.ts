import { Injectable } from '@nestjs/common';
import type { AppId } from '../../../kernel/ids.js';
import { OutboundFailed, UrlNotAllowed } from '../../../services/outbound/outbound.errors.js';
import { Outbound } from '../../../services/outbound/outbound.js';
import { MOST_OF_APP } from '../domain/delivery-queue.js';
import { type ReceiverAnswer, Receivers, type SendFailure } from '../domain/receivers.js';

const READ_BYTES = 16_384;
const KEPT_BYTES = 1_024;

@Injectable()
export class OutboundReceivers extends Receivers {
  protected readonly settings = {
    /** The time from name resolution to the end of the response. */
    timeoutMs: 15_000,
  };

  constructor(private readonly outbound: Outbound) {
    super();
  }

  async post(
    appId: AppId,
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string,
  ): Promise<ReceiverAnswer | SendFailure> {
    try {
      const response = await this.outbound.send(url, {
        method: 'POST',
        appId,
        headers,
        body,
        timeoutMs: this.settings.timeoutMs,
        maxBytes: READ_BYTES,
        truncates: true,
        keepsConnection: true,
        // Other calls of the app to the host are counted too, but are few.
        mostOpen: 2 * MOST_OF_APP,
      });
      return { status: response.status, retryAfter: response.headers['retry-after'], text: storable(response.body) };
    } catch (error) {
      if (error instanceof UrlNotAllowed) return 'not_allowed';
      if (error instanceof OutboundFailed) return error.reason === 'timeout' ? 'timeout' : 'unreachable';
      throw error;
    }
  }

  async faultOf(appId: AppId, url: string): Promise<string | null> {
    try {
      await this.outbound.assertPublicUrl(url, appId);
      return null;
    } catch (error) {
      if (error instanceof UrlNotAllowed) return error.message;
      throw error;
    }
  }
}

function storable(text: string): string {
  const kept = Buffer.from(text.slice(0, KEPT_BYTES)).subarray(0, KEPT_BYTES).toString('utf8');
  // eslint-disable-next-line no-control-regex -- PostgreSQL refuses NUL
  return kept.replace(/\u0000|\uFFFD$/g, '');
}

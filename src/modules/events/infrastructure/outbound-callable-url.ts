import { Injectable } from '@nestjs/common';
import type { AppId } from '../../../kernel/ids.js';
import { UrlNotAllowed } from '../../../services/outbound/outbound.errors.js';
import { Outbound } from '../../../services/outbound/outbound.js';
import { CallableUrl } from '../domain/callable-url.js';

/** The rule of all outbound calls, checked when the URL is stored and not only at the first delivery. */
@Injectable()
export class OutboundCallableUrl extends CallableUrl {
  constructor(private readonly outbound: Outbound) {
    super();
  }

  override async faultOf(appId: AppId, url: string): Promise<string | null> {
    try {
      await this.outbound.assertPublicUrl(url, appId);
      return null;
    } catch (error) {
      if (error instanceof UrlNotAllowed) return error.message;
      throw error;
    }
  }
}

import { Injectable } from '@nestjs/common';
import type { AppId } from '../../../kernel/ids.js';
import { Outbound } from '../../../services/outbound/outbound.js';
import { IssuerCheck } from '../domain/issuer-check.js';

/** The rule of all outbound calls, checked when the issuer is set instead of at the first call. */
@Injectable()
export class OutboundIssuerCheck extends IssuerCheck {
  constructor(private readonly outbound: Outbound) {
    super();
  }

  override async assertCallable(appId: AppId, issuer: string): Promise<void> {
    await this.outbound.assertPublicUrl(issuer, appId);
  }
}

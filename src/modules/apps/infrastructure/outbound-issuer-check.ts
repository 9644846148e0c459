import { Injectable } from '@nestjs/common';
import { Outbound } from '../../../services/outbound/outbound.js';
import { IssuerCheck } from '../domain/issuer-check.js';

/** The rule every call of this service obeys, told when the issuer is given rather than when it is first called. */
@Injectable()
export class OutboundIssuerCheck extends IssuerCheck {
  constructor(private readonly outbound: Outbound) {
    super();
  }

  override async assertCallable(issuer: string): Promise<void> {
    await this.outbound.assertPublicUrl(issuer);
  }
}

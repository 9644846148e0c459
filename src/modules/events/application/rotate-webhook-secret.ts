import { Injectable } from '@nestjs/common';
import type { AppId, WebhookEndpointId } from '../../../kernel/ids.js';
import type { Requester } from '../../../kernel/requester.js';
import { Transactions } from '../../../kernel/transactions.js';
import { AppsFacade } from '../../apps/index.js';
import { WebhookEndpointRepository } from '../domain/webhook-endpoint.repository.js';
import type { EndpointWithSecret } from './create-webhook-endpoint.js';
import { EndpointSecrets } from './endpoint-secrets.js';

const MINUTE_MS = 60_000;

@Injectable()
export class RotateWebhookSecret {
  constructor(
    private readonly apps: AppsFacade,
    private readonly secrets: EndpointSecrets,
    private readonly endpoints: WebhookEndpointRepository,
    private readonly transactions: Transactions,
  ) {}

  /**
   * The current secret signs beside the new one for `overlapMinutes`. One that was replaced before ends at once. Without an overlap
   * the current secret is not opened, so a broken seal can be replaced. Throws `AppNotFound` or `WebhookEndpointNotFound`.
   */
  execute(by: Requester, appId: AppId, id: WebhookEndpointId, overlapMinutes: number): Promise<EndpointWithSecret> {
    const { text, sealed } = this.secrets.mint({ appId, id });
    return this.transactions.run(async () => {
      await this.apps.hold(appId);
      const before = await this.endpoints.lock(appId, id);
      const now = await this.endpoints.now();
      const previous =
        overlapMinutes === 0
          ? null
          : { sealed: this.secrets.asPrevious(before), endsAt: new Date(now.getTime() + overlapMinutes * MINUTE_MS) };
      const endpoint = before.rotate(sealed, previous, now);
      await this.endpoints.update(endpoint);
      await this.apps.audit(by, appId, 'webhook_endpoint.secret_rotated', id);
      return { endpoint, secret: text };
    });
  }
}

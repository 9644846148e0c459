import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import type { AppId, WebhookEndpointId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/outbox.js';
import { Transactions } from '../../../kernel/transactions.js';
import type { DisabledReason } from '../domain/webhook-endpoint.js';
import { WebhookEndpointRepository } from '../domain/webhook-endpoint.repository.js';
import { WebhookEndpointWasDisabled } from '../domain/webhook.events.js';

/** Disables an endpoint that is enabled, and publishes the event. */
@Injectable()
export class DisableEndpoint {
  constructor(
    private readonly transactions: Transactions,
    private readonly endpoints: WebhookEndpointRepository,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
  ) {}

  /**
   * With `url`, disables the endpoint only if it still has that URL; as failing, only if it still fails. Throws `WebhookEndpointNotFound`.
   */
  execute(appId: AppId, id: WebhookEndpointId, reason: DisabledReason, url?: string): Promise<void> {
    return this.transactions.run(async () => {
      const endpoint = await this.endpoints.lock(appId, id);
      if (endpoint.disabledAt || (url !== undefined && url !== endpoint.url)) return;
      if (reason === 'failing' && !(await this.endpoints.isLost(appId, id))) return;
      await this.endpoints.update(endpoint.disable(reason, this.clock.now()));
      await this.events.publish(new WebhookEndpointWasDisabled(appId, { webhook_endpoint_id: id, reason }));
    });
  }
}

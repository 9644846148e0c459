import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import type { AppId, WebhookEndpointId } from '../../../kernel/ids.js';
import type { Requester } from '../../../kernel/requester.js';
import { Transactions } from '../../../kernel/transactions.js';
import { AppsFacade } from '../../apps/index.js';
import type { EndpointDetails, WebhookEndpoint } from '../domain/webhook-endpoint.js';
import { WebhookEndpointRepository } from '../domain/webhook-endpoint.repository.js';
import { DisableEndpoint } from './disable-endpoint.js';
import { EndpointRules } from './endpoint-rules.js';

/** The changes of an endpoint. Details that are absent stay. */
export interface EndpointChanges extends Partial<EndpointDetails> {
  readonly isDisabled?: boolean;
}

@Injectable()
export class UpdateWebhookEndpoint {
  constructor(
    private readonly apps: AppsFacade,
    private readonly rules: EndpointRules,
    private readonly disable: DisableEndpoint,
    private readonly endpoints: WebhookEndpointRepository,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {}

  /**
   * Enabling a disabled endpoint, or another URL, forgets its failures, so it begins like a new one. Throws `AppNotFound`, `InvalidRequest`,
   * `WebhookEndpointNotFound`, `TooManyRequests`.
   */
  async execute(
    by: Requester,
    appId: AppId,
    id: WebhookEndpointId,
    { isDisabled, ...asked }: EndpointChanges,
  ): Promise<WebhookEndpoint> {
    await this.apps.requireLive(appId);
    const details = await this.rules.checked(appId, asked);
    return this.transactions.run(async () => {
      await this.apps.hold(appId);
      const before = await this.endpoints.lock(appId, id);
      const changed = before.change(details, this.clock.now());
      await this.endpoints.update(isDisabled === false ? changed.enable(this.clock.now()) : changed);
      if (isDisabled === true) await this.disable.execute(appId, id, 'by_app');
      if ((isDisabled === false && before.disabledAt) || changed.url !== before.url)
        await this.endpoints.forgetFailures(appId, id);
      const fields = Object.keys({ ...asked, ...(isDisabled !== undefined && { disabled: isDisabled }) });
      await this.apps.audit(by, appId, 'webhook_endpoint.updated', id, fields);
      return this.endpoints.get(appId, id);
    });
  }
}

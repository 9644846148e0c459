import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import { exampleId, EXAMPLES } from '../../../kernel/examples.js';
import type { AppId } from '../../../kernel/ids.js';
import { DemoData } from '../../apps/index.js';
import { WebhookEndpoint } from '../domain/webhook-endpoint.js';
import { WebhookEndpointRepository } from '../domain/webhook-endpoint.repository.js';
import { EndpointSecrets } from './endpoint-secrets.js';

/** The endpoint of the demo app. The event of the demo user is delivered to it under a fixed id, because ids of deliveries are derived. */
@Injectable()
export class DemoWebhookEndpoint implements OnModuleInit {
  constructor(
    private readonly demoData: DemoData,
    private readonly endpoints: WebhookEndpointRepository,
    private readonly secrets: EndpointSecrets,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.demoData.register({ add: (appId) => this.add(appId) });
  }

  private async add(appId: AppId): Promise<void> {
    const key = { appId, id: exampleId('webhookEndpoint') };
    const details = { url: EXAMPLES.webhookUrl, eventTypes: ['user.created'], description: 'Demo', isOrdered: false };
    const { sealed: sealedSecret } = this.secrets.mint(key);
    await this.endpoints.insert(WebhookEndpoint.create({ ...key, sealedSecret }, details, this.clock.now()));
  }
}

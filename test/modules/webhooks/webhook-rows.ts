import type { INestApplicationContext } from '@nestjs/common';
import { newId } from '../../../src/kernel/ids.js';
import type { AppId } from '../../../src/kernel/ids.js';
import { EndpointSecrets } from '../../../src/modules/webhooks/application/endpoint-secrets.js';
import { type EndpointDetails, WebhookEndpoint } from '../../../src/modules/webhooks/domain/webhook-endpoint.js';
import { Database } from '../../../src/postgres/database.js';

export interface StoredEndpoint {
  readonly endpoint: WebhookEndpoint;
  /** The current secret and the previous one. */
  readonly secrets: readonly [string, string];
}

/** A new endpoint whose secret was rotated a moment ago. */
export async function storeEndpoint(
  nest: INestApplicationContext,
  app: string,
  details: Partial<EndpointDetails> = {},
): Promise<StoredEndpoint> {
  const secrets = nest.get(EndpointSecrets);
  const now = new Date();
  const key = { appId: app as AppId, id: newId('webhookEndpoint') };
  const [current, previous] = [secrets.mint(key), secrets.mint(key)];
  const created = WebhookEndpoint.create(
    { ...key, sealedSecret: previous.sealed },
    { url: 'https://shop.example/hooks', eventTypes: [], description: '', isOrdered: false, ...details },
    now,
  );
  const endpoint = created.rotate(
    current.sealed,
    { sealed: secrets.asPrevious(created), endsAt: new Date(now.getTime() + 3_600_000) },
    now,
  );
  await nest.get(Database).manager.insert(WebhookEndpoint, endpoint);
  return { endpoint, secrets: [current.text, previous.text] };
}

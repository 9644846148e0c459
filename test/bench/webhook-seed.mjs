// Makes apps with one webhook endpoint each. Sends the ids of the apps to the parent process.
import { newId } from '../../dist/src/kernel/ids.js';
import { EndpointSecrets } from '../../dist/src/modules/webhooks/application/endpoint-secrets.js';
import { WebhookEndpoint } from '../../dist/src/modules/webhooks/domain/webhook-endpoint.js';
import { Database } from '../../dist/src/postgres/database.js';
import { openDatabase } from '../../dist/src/open-database.js';
import { Config } from '../../dist/src/services/config/config.js';
import { createLogger } from '../../dist/src/services/observability/logger.js';
import { startService } from '../../dist/src/service.js';

const config = Config.read();
const service = await startService(config, await openDatabase(config, console.error), createLogger('error'));
const apps = [];
for (const url of process.env.URLS.split(' ')) {
  const response = await fetch(`${service.url}/management/v1/apps`, {
    method: 'POST',
    headers: { authorization: `Bearer ${config.managementKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Bench', mode: 'test' }),
  });
  const { id: appId } = await response.json();
  const key = { appId, id: newId('webhookEndpoint') };
  const { sealed } = service.nest.get(EndpointSecrets).mint(key);
  const details = { url, eventTypes: [], description: '', isOrdered: false };
  const endpoint = WebhookEndpoint.create({ ...key, sealedSecret: sealed }, details, new Date());
  await service.nest.get(Database).manager.insert(WebhookEndpoint, endpoint);
  apps.push(appId);
}
process.send(apps, () => service.stop().then(() => process.exit()));

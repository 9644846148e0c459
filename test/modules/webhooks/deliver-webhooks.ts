import { createHash } from 'node:crypto';
import { AttemptDelivery } from '../../../src/modules/webhooks/application/attempt-delivery.js';
import { EndpointSecrets } from '../../../src/modules/webhooks/application/endpoint-secrets.js';
import { OutboundReceivers } from '../../../src/modules/webhooks/infrastructure/outbound-receivers.js';
import { PostgresDeliveryQueue } from '../../../src/modules/webhooks/infrastructure/postgres-delivery-queue.js';
import { Config } from '../../../src/services/config/config.js';
import { EnvelopeVault } from '../../../src/services/crypto/envelope-vault.js';
import { Keyring } from '../../../src/services/crypto/keyring.js';
import { KeyringKeyWrapper } from '../../../src/services/crypto/keyring-key-wrapper.js';
import { createLogger } from '../../../src/services/observability/logger.js';
import { Outbound } from '../../../src/services/outbound/outbound.js';
import { SystemClock } from '../../../src/services/system-clock.js';
import { startWriter } from '../events/sequencers.js';

// A process that claims and attempts what is due, once, unless it is killed.
const config = Config.read({
  NODE_ENV: 'test',
  MASTER_KEYS: `test:${createHash('sha256').update('the master key of the tests').digest('base64')}`,
});
const { database, transactions } = await startWriter(process.argv[2]!, 2);
const vault = new EnvelopeVault(new KeyringKeyWrapper(await Keyring.load(config)), () => {});
const queue = new PostgresDeliveryQueue(database, transactions);
const attempts = new AttemptDelivery(
  new OutboundReceivers(new Outbound({ allowPrivateNetworks: true })),
  new EndpointSecrets(vault, { register: () => {} }),
  // Only for status 410, which the receiver does not send.
  undefined as never,
  new SystemClock(),
  createLogger('error'),
);
const { deliveries } = await queue.claim(10, [], '');
const results = await Promise.all(
  deliveries.map(async (delivery) => ({ ...(await attempts.execute(delivery)), delivery })),
);
await queue.record(results);
process.exit();

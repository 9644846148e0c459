// Fills the service's database: one app, its users with email, phone number and wallet, a session for each. Sends what
// the load needs to the parent process.
import { Transactions } from '../../dist/src/kernel/transactions.js';
import { newId } from '../../dist/src/kernel/ids.js';
import { ServiceKeys } from '../../dist/src/kernel/service-keys.js';
import { SessionFacade } from '../../dist/src/modules/session/index.js';
import { openDatabase } from '../../dist/src/open-database.js';
import { Config } from '../../dist/src/services/config/config.js';
import { createLogger } from '../../dist/src/services/observability/logger.js';
import { startService } from '../../dist/src/service.js';

const config = Config.read();
const service = await startService(config, await openDatabase(config, console.error), createLogger('error'));

async function call(method, path, key, body) {
  const response = await fetch(service.url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
  return response.json();
}

const app = await call('POST', '/management/v1/apps', config.managementKey, { name: 'Bench', mode: 'test' });
await call('PATCH', `/management/v1/apps/${app.id}`, config.managementKey, {
  limits: { secret_key_calls_per_second: 1_000_000 },
});

const sessions = service.nest.get(SessionFacade);
const transactions = service.nest.get(Transactions);
const users = [];
const tokens = [];
let next = 0;
async function work() {
  while (next < Number(process.env.USERS)) {
    const n = next++;
    const { user_id, email_id } = await call('POST', '/v1/auth/users/create', app.secret_key, {
      email: `user${n}@example.com`,
      phone_number: `+49151${10_000_000 + n}`,
      first_name: 'Ada',
      last_name: `Number ${n}`,
    });
    const method = { type: 'email', emailId: email_id, email: `user${n}@example.com` };
    const factor = { id: newId('session'), type: 'otp', deliveryChannel: 'email', method };
    const intent = await sessions.resolve(app.id, {
      minutes: 600,
      deviceFingerprint: { ip: '192.0.2.1', userAgent: 'bench' },
    });
    const { token } = await transactions.run(() => sessions.addFactor(app.id, intent, user_id, factor));
    users.push(user_id);
    tokens.push(token);
  }
}
await Promise.all(Array.from({ length: 10 }, work));
const { wallets } = await call('GET', '/v1/wallets/list', app.secret_key);

const tokenHashKey = service.nest.get(ServiceKeys, { strict: false }).derive('token hash').export().toString('base64');
process.send(
  { appId: app.id, key: app.secret_key, users, tokens, wallets: wallets.map(({ id }) => id), tokenHashKey },
  () => service.stop().then(() => process.exit()),
);

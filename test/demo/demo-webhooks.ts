// npm run demo:webhooks: a receiver verifies and prints what the service sends while a user signs in, a wallet signs and a transfer
// completes. Then the receiver is killed, an event waits for it, and it is started again.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, ok } from '../../openapi/client/src/index.js';
import { Anvil } from '../support/anvil.js';
import { startIdentityProvider } from '../support/identity-provider.js';
import { newAddress } from '../support/money.js';
import { liveService } from './live-service.js';
import { freePort } from '../../src/dev/free-port.js';

const LOOK_MS = 250;

const anvil = await Anvil.start({ blockTime: 1 }).catch((error: Error) => {
  console.log(`No transfer: ${error.message}.`);
  return undefined;
});
const service = await liveService(
  anvil && {
    ETHEREUM_RPC_URL: anvil.url,
    ETHEREUM_CHAIN_ID: String(anvil.chainId),
    ETHEREUM_FINALITY_DEPTH: '1',
  },
);
const provider = await startIdentityProvider();
const port = await freePort();
let receiver: ChildProcess | undefined;
/** Types that the receiver has printed. */
const received: string[] = [];

try {
  const management = createClient({ baseUrl: service.url, managementKey: service.managementKey });
  const app = await ok(management.POST('/management/v1/apps', { body: { name: 'Demo', mode: 'test' } }));
  const params = { path: { app_id: app.id } };
  const api = createClient({ baseUrl: service.url, secretKey: app.secret_key, publicToken: app.public_token });
  const endpoint = await ok(
    api.POST('/v1/webhook_endpoints', { body: { url: `http://127.0.0.1:${port}/webhooks`, ordered: true } }),
  );
  say(`${endpoint.id} sends all events to ${endpoint.url}. The receiver is a process of its own.`);
  await startReceiver(endpoint.secret);

  say('A connection to an OpenID provider is set up, and Ann signs in.');
  for (const kind of ['login', 'registration'] as const) {
    const body = { url: `http://127.0.0.1:${port}/${kind}`, kind, is_default: true };
    await ok(management.POST('/management/v1/apps/{app_id}/redirect_urls', { params, body }));
  }
  const client = { client_id: 'demo', client_secret: 'demo-client-secret' };
  const connection = await ok(
    management.POST('/management/v1/apps/{app_id}/oauth_connections', {
      params,
      body: { provider: 'company', issuer: provider.issuer, ...client },
    }),
  );
  await provider.register({ ...client, redirect_uris: [connection.callback_url] });
  const begun = await ok(api.GET('/v1/auth/oauth/{provider}/begin', { params: { path: { provider: 'company' } } }));
  const ann = { sub: 'ann-1', email: 'ann@example.com', email_verified: true, given_name: 'Ann' };
  const callback = await provider.signIn(begun.redirect_url, ann);
  const landed = new URL((await fetch(callback.url, { redirect: 'manual' })).headers.get('location') ?? '');
  const token = landed.searchParams.get('token') ?? '';
  const { user_id } = await ok(api.POST('/v1/auth/oauth/verify', { body: { token, session_expires_in: 60 } }));
  await untilReceived('session.created');

  say('Her wallet signs a message.');
  const body = { user_id, wallet_type: 'ethereum' } as const;
  const wallet = await ok(api.POST('/v1/wallets/create', { body }));
  await ok(
    api.POST('/v1/wallets/{wallet_id}/sign_message', {
      params: { path: { wallet_id: wallet.id } },
      body: { message: 'I agree to the terms.' },
    }),
  );
  await untilReceived('message.signed');

  if (anvil) {
    say('Her wallet pays on a local Ethereum.');
    await anvil.fund(wallet.public_address, 10n ** 18n);
    const transfer = await ok(
      api.POST('/v1/transfers/create', {
        body: {
          source: wallet.id,
          dest: newAddress('ethereum'),
          source_amount: '0.25',
          source_currency: 'ethereum',
          dest_currency: 'ethereum',
        },
      }),
    );
    const path = { transfer_id: transfer.id };
    await ok(api.POST('/v1/transfers/{transfer_id}/confirm', { params: { path }, body: {} }));
    await untilReceived('transfer.completed');
  }

  say('The receiver is killed, and her name changes. The first attempt fails; the next one follows after about 5 s.');
  await killReceiver();
  await ok(api.PUT('/v1/auth/users/{user_id}/update', { params: { path: { user_id } }, body: { first_name: 'Anna' } }));
  const path = { whk_id: endpoint.id };
  let shown = 0;
  for (let isDelivered = false; !isDelivered; await sleep(LOOK_MS)) {
    const { deliveries } = await ok(api.GET('/v1/webhook_endpoints/{whk_id}/deliveries', { params: { path } }));
    const delivery = deliveries.find(({ event_type }) => event_type === 'user.updated');
    for (const { status_code, error } of delivery?.attempts.slice(shown) ?? []) {
      shown += 1;
      say(`Attempt ${shown}: ${error || `status ${status_code}`}.`);
      if (shown === 1) {
        say('The receiver is started again.');
        await startReceiver(endpoint.secret);
      }
    }
    isDelivered = delivery?.status === 'delivered';
  }
  say('Every event was delivered.');
} finally {
  await killReceiver();
  await provider.stop();
  await service.stop();
  await anvil?.stop();
}

async function startReceiver(secret: string): Promise<void> {
  // Without a loader it starts well within the pause before the next attempt.
  receiver = fork('test/demo/webhook-receiver.mjs', [String(port)], {
    execArgv: [],
    env: { ...process.env, WEBHOOK_SECRET: secret },
  });
  await once(receiver, 'message');
  receiver.on('message', ({ type }: { type: string }) => received.push(type));
}

async function killReceiver(): Promise<void> {
  if (!receiver) return;
  const gone = once(receiver, 'exit');
  receiver.kill('SIGKILL');
  receiver = undefined;
  await gone;
}

async function untilReceived(type: string): Promise<void> {
  while (!received.includes(type)) await sleep(20);
}

function say(line: string): void {
  console.log(`\n${line}`);
}

// What an operator does once, in the console or by calls of the management API: the app, its provider, and the budget of an agent.
import { createClient } from '../../../openapi/client/src/index.js';
import { startIdentityProvider } from '../../support/identity-provider.js';

const NAME = 'Demo shop';
const ANN = { sub: 'ann-1', email: 'ann@example.com', email_verified: true, given_name: 'Ann', family_name: 'Example' };
const DAY = 86_400;

export async function prepareApp(baseUrl: string, managementKey: string) {
  const operator = createClient({ baseUrl, managementKey });
  const { apps } = operator.management;
  const page = `${baseUrl}/demo`;
  const { origin, hostname } = new URL(baseUrl);

  let found: { readonly id: string } | undefined;
  for await (const app of operator.list('/management/v1/apps')) if (app.name === NAME) found ??= app;
  const settings = {
    allowed_origins: [origin],
    oauth_begin: 'bound' as const,
    webauthn: { rp_id: hostname, origins: [origin] },
  };
  const { id: appId } = found ?? (await apps.create({ name: NAME, mode: 'test', default_wallet_type: 'ethereum' }));
  await apps.update(appId, settings);

  // The keys live as long as this process may need them, and those of earlier processes end.
  for (const { id } of (await apps.keys.list(appId)).keys) await apps.keys.revoke(appId, id);
  const expires_at = Math.floor(Date.now() / 1_000) + DAY;
  const secret = await apps.keys.create(appId, { kind: 'secret', name: 'backend', expires_at });
  const token = await apps.keys.create(appId, { kind: 'public', name: 'page', expires_at });

  const registered = (await apps.redirectUrls.list(appId)).redirect_urls.map(({ kind }) => kind);
  for (const kind of ['login', 'registration'] as const)
    if (!registered.includes(kind)) await apps.redirectUrls.register(appId, { kind, url: page, is_default: true });

  // The provider that comes along signs everyone in as Ann.
  const provider = await startIdentityProvider({ alwaysSignsIn: ANN });
  for (const { id } of (await apps.oauthConnections.list(appId)).oauth_connections)
    await apps.oauthConnections.delete(appId, id);
  const connection = await apps.oauthConnections.create(appId, {
    provider: 'company',
    issuer: provider.issuer,
    client_id: 'demo',
    client_secret: 'demo-client-secret',
    email_domains: ['example.com'],
  });
  const callback = { redirect_uris: [connection.callback_url] };
  await provider.register({ client_id: 'demo', client_secret: 'demo-client-secret', ...callback });

  /** A key that sees one wallet, and a policy over it: 1 ether a day by itself, and from 0.5 ether on the passkey of the user. */
  const hire = async (userId: string, walletId: string) => {
    const key = await apps.keys.create(appId, {
      kind: 'restricted',
      name: 'agent',
      scopes: ['wallets:read', 'transfers:read', 'transfers:write'],
      wallet_ids: [walletId],
      expires_at,
    });
    const group = await apps.approverGroups.create(appId, { name: `Owner ${key.id}`, members: [{ user_id: userId }] });
    const match = { operations: ['transfer' as const], assets: ['ethereum'] };
    const policy = await apps.policies.create(appId, {
      name: `agent ${key.id}`,
      scope: { kind: 'key', id: key.id },
      rules: [
        {
          id: 'large',
          effect: 'require_approval',
          match: { ...match, amount: { min: '0.5' } },
          approvals: { group: group.id, count: 1, expires_in: 600 },
        },
        { id: 'budget', effect: 'allow', match, windows: [{ seconds: DAY, max_amount: '1', per: 'policy' }] },
      ],
    });
    await apps.policies.activate(appId, policy.id);
    return { keyId: key.id, client: createClient({ baseUrl, secretKey: key.key }) };
  };
  const budgetOf = async (keyId: string, walletId: string) => {
    const asked = { operation: 'transfer' as const, wallet_id: walletId, key_id: keyId };
    const least = { source_amount: '0.000000000000000001', source_currency: 'ethereum' };
    const dest = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
    const [window] = (await apps.policies.evaluate(appId, { ...asked, ...least, dest })).windows;
    return { used: window?.used ?? '0', held: window?.held ?? '0', limit: window?.limit ?? '1' };
  };

  const backend = createClient({ baseUrl, secretKey: secret.key });
  return { appId, backend, publicToken: token.key, hire, budgetOf };
}

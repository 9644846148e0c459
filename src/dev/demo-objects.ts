import type { Abstract, INestApplicationContext, Type } from '@nestjs/common';
import { ConfiguredNetworks } from '../kernel/chain/networks.js';
import { NO_DATA_FEES } from '../kernel/chain/payment.js';
import { Clock, epochSeconds } from '../kernel/clock.js';
import { evolve } from '../kernel/entity.js';
import { exampleId, EXAMPLES, secondExampleId } from '../kernel/examples.js';
import { type AppId, newId } from '../kernel/ids.js';
import { DomainEvents } from '../kernel/domain-events.js';
import { SecretTokens } from '../kernel/secret-tokens.js';
import { Vault } from '../kernel/vault.js';
import { ConnectionSecrets } from '../modules/apps/application/connection-secrets.js';
import { ApiKey, keyText, PURPOSES, ApiKeyRepository } from '../modules/apps/domain/api-key.js';
import { AppRepository } from '../modules/apps/domain/app.js';
import { OauthConnection, OauthConnectionRepository } from '../modules/apps/domain/oauth-connection.js';
import { RedirectUrl, RedirectUrlRepository } from '../modules/apps/domain/redirect-url.js';
import {
  AUTHORIZATION_SERVER,
  type AuthorizationServerSettings,
  issuerOf,
} from '../modules/authorization/domain/authorization-server.js';
import { GrantRepository } from '../modules/authorization/domain/grant.js';
import { CLIENT_SECRET, OauthClient, OauthClientRepository } from '../modules/authorization/domain/oauth-client.js';
import { OauthResource, OauthResourceRepository } from '../modules/authorization/domain/oauth-resource.js';
import { Artifacts } from '../modules/authorization/infrastructure/artifacts.js';
import { EndpointSecrets } from '../modules/webhooks/application/endpoint-secrets.js';
import { WebhookEndpoint } from '../modules/webhooks/domain/webhook-endpoint.js';
import { WebhookEndpointRepository } from '../modules/webhooks/domain/webhook-endpoint.repository.js';
import { emailAddress, phoneAddress } from '../modules/identity/domain/address.js';
import { Contact, ContactRepository } from '../modules/identity/domain/contact.js';
import { UserCreated } from '../modules/identity/domain/user.events.js';
import { PortableParts, PortableUsers } from '../modules/identity/domain/portable-users.js';
import { User } from '../modules/identity/domain/user.js';
import { UserRepository } from '../modules/identity/domain/user.repository.js';
import { LINK_LIFETIME, MagicLinkRepository } from '../modules/magic-link/domain/magic-link.js';
import { LOGIN_TOKEN, providerTokensContext, OauthLoginRepository } from '../modules/oauth/domain/login-ticket.js';
import { PASSCODE_MAIL } from '../modules/otp/application/passcode-mail.js';
import { codeContext, hashOfCode, PasscodeRepository } from '../modules/otp/domain/passcode.js';
import { PASSWORD_LOGIN_UNTIL } from '../modules/password/domain/imported-password.js';
import { PasskeyRepository } from '../modules/passkey/domain/passkey.js';
import { changeSettings, PASSKEY_SETTINGS } from '../modules/passkey/domain/passkey-settings.js';
import { ApprovalRepository } from '../modules/policy/approvals/domain/approval.js';
import { ApproverGroupRepository } from '../modules/policy/approvals/domain/approver-group.js';
import { hashOf } from '../modules/policy/rules/domain/payload.js';
import { PolicyRepository } from '../modules/policy/rules/domain/policy.repository.js';
import type { UnstampedFactor } from '../modules/session/domain/factor.js';
import { SESSION_LIFETIME, SessionRepository } from '../modules/session/domain/session.js';
import { TotpSecrets } from '../modules/totp/application/totp-secrets.js';
import { ENROLMENT_LIFETIME, SECRET_BYTES, TotpRepository } from '../modules/totp/domain/totp.js';
import { WalletCredited } from '../modules/transfer/deposits/domain/deposit.events.js';
import { type Deposit, DepositRepository } from '../modules/transfer/deposits/domain/deposit.js';
import { TransferRepository } from '../modules/transfer/transfer/domain/transfer.repository.js';
import { WalletKeys } from '../modules/wallet/keys/domain/wallet-keys.js';
import { Wallet } from '../modules/wallet/wallets/domain/wallet.js';
import { WalletRepository } from '../modules/wallet/wallets/domain/wallet.repository.js';
import { Config } from '../services/config/config.js';
import { JobQueue } from '../services/jobs/job-queue.js';
import { MessageLog } from '../services/mail/message-log.js';

const ORIGIN = 'http://localhost:3001';
/** A reader may try the examples long after the first start. */
const MINUTES = 525_600;

const userId = exampleId('user');
const emailId = exampleId('email');

/**
 * The public API cannot make these objects, because it chooses ids, tokens and codes. Runs in the transaction that makes the app.
 * The tokens are public, so production refuses a database that has the app.
 */
export async function addDemoObjects(nest: INestApplicationContext, appId: AppId): Promise<void> {
  const the = <T>(provider: Type<T> | Abstract<T>): T => nest.get(provider, { strict: false });
  const now = the(Clock).now();
  const tokens = the(SecretTokens);
  const vault = the(Vault);
  const events = the(DomainEvents);

  const keyHash = tokens.hash(PURPOSES.secret, keyText('secret', 'test', tokens.mint()));
  const key = ApiKey.create({ appId, kind: 'secret', name: 'Staging', expiresAt: null }, keyHash, now);
  await the(ApiKeyRepository).insert(evolve(key, { id: exampleId('key') }));

  const url = { appId, mode: 'test', kind: 'login', url: `${ORIGIN}/welcome`, isDefault: false } as const;
  await the(RedirectUrlRepository).insert(evolve(RedirectUrl.create(url, now), { id: exampleId('redirectUrl') }));

  const provider = { appId, id: exampleId('oauthConnection'), provider: EXAMPLES.provider, clientId: 'demo-client' };
  const sealedSecrets = the(ConnectionSecrets).seal({ ...provider, issuer: null }, { clientSecret: 'demo-secret' });
  await the(OauthConnectionRepository).insert(OauthConnection.create(provider, {}, sealedSecrets, now));

  const audience = 'https://orders.example.com';
  const orders = { name: 'Orders', scopes: ['orders:read', 'orders:write'], tokenSeconds: 300 };
  const resource = OauthResource.create(appId, audience, orders, now);
  await the(OauthResourceRepository).insert(evolve(resource, { id: exampleId('oauthResource') }));
  const settings = {
    grantTypes: ['client_credentials'],
    redirectUris: [],
    postLogoutRedirectUris: [],
    pkce: 'required',
    claimsInIdToken: true,
    logoUri: null,
    scopes: ['orders:read'],
    resources: [audience],
    defaultResource: audience,
  } as const;
  const importer = { name: 'Order import', type: 'confidential', settings } as const;
  const client = OauthClient.create(appId, importer, tokens.hash(CLIENT_SECRET, EXAMPLES.token), now);
  await the(OauthClientRepository).insert(evolve(client, { id: exampleId('oauthClient') }));

  const redirectUri = `${ORIGIN}/callback`;
  const ofUsers = { grantTypes: ['authorization_code'], redirectUris: [redirectUri], scopes: ['openid'] } as const;
  const signIn = { ...settings, ...ofUsers, resources: [], defaultResource: null };
  const history = { name: 'Order history', type: 'confidential', settings: signIn } as const;
  const program = OauthClient.create(appId, history, tokens.hash(CLIENT_SECRET, tokens.mint()), now);
  await the(OauthClientRepository).insert(evolve(program, { id: secondExampleId('oauthClient') }));
  const begunAt = epochSeconds(now);
  const interaction = {
    kind: 'Interaction',
    jti: EXAMPLES.interaction,
    params: {
      client_id: secondExampleId('oauthClient'),
      response_type: 'code',
      redirect_uri: redirectUri,
      scope: 'openid',
    },
    iat: begunAt,
    exp: begunAt + MINUTES * 60,
    returnTo: `${issuerOf(the(Config).baseUrl, appId)}/auth/${EXAMPLES.interaction}`,
  };
  await the(Artifacts).store(appId, interaction.kind, interaction.jti, interaction, MINUTES * 60);

  const users = the(UserRepository);
  const choices = { status: 'active', walletType: 'none' } as const;
  const name = { firstName: EXAMPLES.firstName, lastName: EXAMPLES.lastName };
  const appData = { externalId: EXAMPLES.externalId, metadata: EXAMPLES.metadata };
  const ada = evolve<User>(User.create(appId, { ...name, ...appData, ...choices }, now), { id: userId });
  const email = evolve<Contact>(Contact.attach(emailAddress(EXAMPLES.email), ada, now), { id: emailId });
  await users.add(appId, ada, email.verify(now));
  const phoneNumber = Contact.attach(phoneAddress(EXAMPLES.phoneNumber), ada, now);
  await the(ContactRepository).attach(appId, evolve<Contact>(phoneNumber, { id: exampleId('phoneNumber') }));
  await events.publish(Object.assign(new UserCreated(appId, userId, ada.walletType), { id: exampleId('event') }));

  const second = User.create(appId, { firstName: 'Alan', lastName: 'Turing', ...choices }, now);
  const alan = evolve<User>(second, { id: secondExampleId('user') });
  await users.add(appId, alan, Contact.attach(emailAddress('alan@example.com'), alan, now));
  await events.publish(new UserCreated(appId, alan.id, alan.walletType));

  const endpointKey = { appId, id: exampleId('webhookEndpoint') };
  const { sealed: sealedSecret } = the(EndpointSecrets).mint(endpointKey);
  const details = { url: EXAMPLES.webhookUrl, eventTypes: ['user.created'], description: 'Demo', isOrdered: false };
  await the(WebhookEndpointRepository).insert(WebhookEndpoint.create({ ...endpointKey, sealedSecret }, details, now));

  const method = { method_id: emailId, method_type: 'email', email_id: emailId, email: EXAMPLES.email };
  await the(SessionRepository).start(appId, {
    id: exampleId('session'),
    userId,
    tokenHash: tokens.hash('session_token', EXAMPLES.token),
    minutes: SESSION_LIFETIME.max,
    sessionsPerUser: 100,
    idleMinutes: null,
    factor: { type: 'otp', delivery_channel: 'email', method } as unknown as UnstampedFactor,
    deviceFingerprint: { ip: '192.0.2.1', userAgent: 'Mozilla/5.0' },
  });

  await the(GrantRepository).insert({
    appId,
    id: exampleId('grant'),
    userId,
    clientId: exampleId('oauthClient'),
    sessionId: exampleId('session'),
    granted: { user: ['openid'], resources: { [audience]: ['orders:read'] } },
    rejected: { user: [], resources: {} },
    isOffline: false,
    sessionEndsAt: new Date(now.getTime() + MINUTES * 60_000),
  });

  const loginHash = tokens.hash(LOGIN_TOKEN, EXAMPLES.token);
  const issued = Buffer.from(JSON.stringify({ accessToken: 'demo-access-token', refreshToken: '' }));
  const ticket = {
    appId,
    tokenHash: loginHash,
    userId,
    connectionId: provider.id,
    provider: provider.provider,
    subject: '1234567890',
    providerIdentityId: exampleId('providerIdentity'),
    sealedTokens: vault.seal(issued, providerTokensContext(appId, loginHash)),
    codeChallenge: null,
    isBrowserBound: false,
    userCreated: false,
    prepared: null,
  };
  await the(OauthLoginRepository).addTicket(ticket, MINUTES);

  the(MagicLinkRepository).add({
    appId,
    tokenHash: tokens.hash('magic_link', EXAMPLES.token),
    userId,
    mailedTo: { emailId, email: EXAMPLES.email },
    device: {},
    minutes: LINK_LIFETIME.max,
  });

  const sealedCode = vault.seal(Buffer.from(EXAMPLES.passcode), codeContext(appId, emailId));
  const codeHash = hashOfCode(tokens, appId, emailId, EXAMPLES.passcode);
  const passcode = { appId, methodId: emailId, userId, address: EXAMPLES.email, sealedCode, codeHash };
  the(PasscodeRepository).add(passcode, MINUTES);

  const totps = the(TotpRepository);
  const totpKey = { appId, id: exampleId('totp'), userId };
  const sealedTotp = the(TotpSecrets).seal(totpKey, Buffer.alloc(SECRET_BYTES), [EXAMPLES.recoveryCode]);
  await totps.enrol({ ...totpKey, ...sealedTotp }, ENROLMENT_LIFETIME.max);
  await totps.spendStep((await totps.ofUser(appId, userId)).totp!, 0);

  const passwords = the(PortableParts).all.find(({ field }) => field === 'password')!;
  const hash = '$argon2id$v=19$m=4096,t=2,p=1$c2FsdCBvZiB0aGUgZGVtbw$nMsqQVcHMXcwjKfaGX6xn0Lagxx0c8p053dQblElP3A';
  const read = (await passwords.reader(appId))([{ algorithm: 'argon2id', hash }], { user: ada, idOf: newId });
  await the(PortableUsers).addRows(
    passwords,
    appId,
    read.map((row) => ({ userId, row, isProved: true })),
  );

  const passkeySettings = () => changeSettings(null, { rpId: 'localhost', origins: [ORIGIN] });
  const apps = the(AppRepository);
  const passwordLogin = () => ({ until: epochSeconds(now) + MINUTES * 60 });
  const authorizationServer = (): AuthorizationServerSettings => ({ loginUrl: `${ORIGIN}/login`, since: begunAt });
  const moduleSettings = {
    [PASSKEY_SETTINGS]: passkeySettings,
    [PASSWORD_LOGIN_UNTIL]: passwordLogin,
    [AUTHORIZATION_SERVER]: authorizationServer,
  };
  await apps.update((await apps.lock(appId)).change({ moduleSettings }, now));
  await the(PasskeyRepository).add({
    appId,
    id: exampleId('passkey'),
    userId,
    credentialId: Buffer.from('demo credential'),
    publicKey: Buffer.from('demo'),
    rpId: 'localhost',
    name: 'Laptop',
    transports: ['internal'],
    isBackupEligible: true,
    isBackedUp: true,
    isBackupUnknown: null,
    userHandle: null,
    signCount: 0,
  });

  const messages = the(MessageLog);
  const message = {
    id: exampleId('message'),
    channel: 'mail',
    kind: PASSCODE_MAIL.name,
    recipient: EXAMPLES.email,
  } as const;
  messages.add(appId, message);
  messages.sent([{ appId, id: message.id }]);

  // No handler takes it.
  const inAYear = new Date(now.getTime() + MINUTES * 60_000);
  the(JobQueue).add({ kind: 'demo', payload: {}, appId, runAt: inAYear }, 0, exampleId('job'));

  // The local chain funds this wallet: its key is that of a public account of Anvil.
  const owner = { appId, userId, walletType: 'ethereum' } as const;
  const place = { ...owner, walletId: exampleId('wallet') };
  const walletKey = the(WalletKeys).adopt(place, Buffer.from(EXAMPLES.privateKey, 'hex'));
  await the(WalletRepository).addDefault(appId, Wallet.managed(walletKey, now));
  const login = { ...owner, walletId: secondExampleId('wallet'), publicAddress: EXAMPLES.otherAddress };
  await the(WalletRepository).add(appId, Wallet.external(login, now));

  const group = { appId, id: exampleId('approverGroup'), name: 'Treasury', members: [userId] };
  await the(ApproverGroupRepository).add(group);
  // An active policy would decide what the wallet signs in the examples.
  const { native } = the(ConfiguredNetworks).named('ethereum')!;
  const { symbol: _, chain: network, name: currency, ...coin } = native;
  const anything = { operations: null, networks: null, assets: null, destinations: null, amount: null };
  const payments = { ...anything, operations: ['transfer'], assets: [{ ...coin, network, currency }] } as const;
  await the(PolicyRepository).add({
    appId,
    id: exampleId('policy'),
    name: 'Payouts',
    scope: { kind: 'wallet', id: place.walletId },
    rules: [{ id: 'payments', effect: 'allow', match: payments, windows: [], approvals: null }],
  });

  const payload = { operation: 'sign_message', app_id: appId, wallet_id: place.walletId, message: 'Hello' } as const;
  const requested = {
    appId,
    id: exampleId('approval'),
    operation: payload.operation,
    operationId: hashOf(payload),
    walletId: place.walletId,
    userId,
    namesUser: false,
    keyId: exampleId('key'),
    policyId: exampleId('policy'),
    version: 1,
    ruleId: 'payments',
    groupId: exampleId('approverGroup'),
    needed: 1,
    payload,
    payloadHash: hashOf(payload),
    expiresIn: MINUTES * 60,
  } as const;
  await the(ApprovalRepository).request(requested, false);

  // They need no chain until they are confirmed.
  const transfer = {
    appId,
    id: exampleId('transfer'),
    userId,
    source: place.walletId,
    sourceAddress: EXAMPLES.address,
    dest: EXAMPLES.otherAddress,
    network: 'eip155:31337',
    asset: native,
    amount: 250_000_000_000_000_000n,
    feeCap: 1_000_000_000_000_000n,
    dataFees: NO_DATA_FEES,
    quoteSeconds: MINUTES * 60,
    batchId: null,
    customId: null,
    notes: 'Order 1001',
    namesUser: false,
  };
  await the(TransferRepository).add(transfer);
  await the(TransferRepository).add({ ...transfer, id: secondExampleId('transfer'), batchId: exampleId('batch') });

  const deposit: Deposit = {
    appId,
    id: exampleId('deposit'),
    walletId: place.walletId,
    userId,
    asset: native,
    network: 'eip155:31337',
    amount: 250_000_000_000_000_000n,
    from: EXAMPLES.otherAddress,
    hash: `0x${'5e'.repeat(32)}`,
    position: -1,
    block: 1,
    at: now,
  };
  await the(DepositRepository).add(appId, [deposit]);
  await events.publish(new WalletCredited(deposit));
}

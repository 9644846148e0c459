import { type Answer, MANAGEMENT_KEY, startApp, type TestApp } from '../support/app.js';
import { decodeJwt } from 'jose';
import { randomBytes } from 'node:crypto';
import {
  type AppId,
  type ApproverGroupId,
  type EmailId,
  newId,
  type OauthClientId,
  type OauthConnectionId,
  type UserId,
} from '../../src/kernel/ids.js';
import { MacTables } from '../../src/kernel/row-macs.js';
import type { TokenHash } from '../../src/kernel/secret-tokens.js';
import { Transactions } from '../../src/kernel/transactions.js';
import { SealAltered, Vault } from '../../src/kernel/vault.js';
import { AppsFacade } from '../../src/modules/apps/index.js';
import { ProveAddress, SignInWithProvider } from '../../src/modules/identity/index.js';
import { MagicLinkRepository } from '../../src/modules/magic-link/domain/magic-link.js';
import { GrantRepository } from '../../src/modules/authorization/domain/grant.js';
import { OauthClientRepository } from '../../src/modules/authorization/domain/oauth-client.js';
import { OauthResourceRepository } from '../../src/modules/authorization/domain/oauth-resource.js';
import { RecoveryRepository } from '../../src/modules/identity/domain/recovery.js';
import { OauthLoginRepository } from '../../src/modules/oauth/domain/login-ticket.js';
import { PasscodeRepository } from '../../src/modules/otp/domain/passcode.js';
import { ImportedPasswordRepository } from '../../src/modules/password/domain/imported-password.js';
import { ApproverGroupRepository } from '../../src/modules/policy/approvals/domain/approver-group.js';
import { SigningStates } from '../../src/modules/policy/rules/application/signing-states.js';
import { WalletRepository } from '../../src/modules/wallet/wallets/domain/wallet.repository.js';
import { Brands } from '../../src/services/mail/brands.js';
import { forgetSettings } from '../support/background.js';
import { unique } from '../support/given.js';
import { PolicyApp } from '../modules/policy/policies.js';
import { PasskeyApp } from '../modules/passkey/passkeys.js';
import { Observer } from '../support/observer.js';
import { signRows } from '../support/row-macs.js';
import { signIn } from '../support/sign-in.js';

let service: TestApp;
let observer: Observer;
let acme: PasskeyApp;
beforeAll(async () => {
  service = await startApp();
  observer = await Observer.of(service);
  acme = await PasskeyApp.of(service);
});
afterAll(async () => {
  await observer?.close();
  await service?.stop();
});

const REFUSED = [500, 'seal_broken'];
const outcome = ({ status, body }: Answer) => [status, body.error_type];
const post = (path: string, body: object) => service.call('POST', path, { key: acme.app.secretKey, body });
const sql = (text: string, parameters: unknown[]) => observer.rows(text, parameters);
const session = async (user_id: string) => {
  const issued = await signIn(service, acme.app, { user_id });
  return { id: issued.session!.id, session_token: issued.session_token, session_jwt: issued.session_jwt };
};

describe('a row that was altered by SQL grants nothing', () => {
  it.each([
    ['its user', `user_id = $2`],
    ['its end', `expires_at = expires_at + interval '1 year', user_id = case when $2 = '' then '' else user_id end`],
    [
      'its factors',
      `factors = factors || (select jsonb_build_object('totp:' || $2, value) from jsonb_each(factors) limit 1)`,
    ],
  ])('a session: %s', async (_, assignment) => {
    const [victim, thief] = [await acme.user(), await session(await acme.user())];
    await sql(`update sessions set ${assignment} where id = $1`, [thief.id, victim]);
    const { session_token, session_jwt } = thief;
    expect(outcome(await post('/v1/auth/sessions/verify', { session_token }))).toEqual(REFUSED);
    expect(outcome(await post('/v1/auth/sessions/verify', { session_token, session_expires_in: 60 }))).toEqual(REFUSED);
    const byJwt = await post('/v1/auth/sessions/verify', { session_jwt });
    expect(byJwt.status).not.toBe(200);
    const listed = await service.call('GET', '/v1/auth/sessions/list', {
      key: acme.app.secretKey,
      query: { user_id: victim },
    });
    expect([listed.status, listed.body.sessions]).toEqual([200, []]);
  });

  it('a session that was revoked, and is made live again', async () => {
    const { id, session_token } = await session(await acme.user());
    await service.call('DELETE', '/v1/auth/sessions/delete', { key: acme.app.secretKey, body: { session_token } });
    await sql('update sessions set revoked_at = null where id = $1', [id]);
    expect(outcome(await post('/v1/auth/sessions/verify', { session_token }))).toEqual(REFUSED);
  });

  it('a session that one of the user takes along when another factor joins it', async () => {
    const [victim, thief] = [await acme.holder(), await acme.holder()];
    const session_token = await acme.sessionOf(thief);
    await sql('update sessions set user_id = $2 where user_id = $1', [thief.userId, victim.userId]);
    expect(outcome(await acme.verify(await acme.assertion(victim), { session_token }))).toEqual(REFUSED);
  });

  it.each([
    ['is moved to another user', `user_id = v.user_id`],
    ['gets the key of another', `public_key = t.public_key`],
  ])('a passkey that %s', async (_, assignment) => {
    const [victim, thief] = [await acme.holder(), await acme.holder()];
    const [altered, owner, authenticator] = assignment.startsWith('user_id')
      ? [thief, victim, thief.authenticator]
      : [victim, victim, thief.authenticator];
    await sql(
      `update webauthn_credentials c set ${assignment} from webauthn_credentials v, webauthn_credentials t
        where c.id = $1 and v.id = $2 and t.id = $3`,
      [altered.passkeyId, victim.passkeyId, thief.passkeyId],
    );
    const answer = await acme.assertion({ ...altered, userId: owner.userId, authenticator });
    expect(
      outcome(
        await acme.verify({
          ...answer,
          id: (await acme.assertion(altered)).id,
          rawId: (await acme.assertion(altered)).id,
        }),
      ),
    ).toEqual(REFUSED);
  });

  it.each([`user_handle = 'thief'`, 'is_backup_unknown = true'])(
    'a passkey that becomes an imported one: %s',
    async (set) => {
      const holder = await acme.holder();
      await sql(`update webauthn_credentials set ${set} where id = $1`, [holder.passkeyId]);
      expect(outcome(await acme.verify(await acme.assertion(holder)))).toEqual(REFUSED);
    },
  );

  it.each([
    ['is moved to another user', 'user_id = $1'],
    [
      'is active without a code',
      `verified_at = now(), sealed_secret = case when $1 = '' then '' else sealed_secret end`,
    ],
  ])('an authenticator app that %s', async (_, assignment) => {
    const [victim, thief] = [await acme.user(), await acme.user()];
    await post('/v1/auth/totps/create', { user_id: thief });
    await sql(`update totps set ${assignment} where user_id = $2`, [victim, thief]);
    const user_id = assignment.startsWith('user_id') ? victim : thief;
    expect(outcome(await post('/v1/auth/totps/verify', { user_id, totp: '123456' }))).toEqual(REFUSED);
  });

  it('an imported password that is inserted', async () => {
    const user = (await acme.user()) as UserId;
    await sql(
      `insert into imported_passwords (app_id, id, user_id, sealed_hash, created_at) values ($1, $2, $3, 'x', now())`,
      [acme.app.id, `password_${unique()}`, user],
    );
    const passwords = service.nest.get(ImportedPasswordRepository, { strict: false });
    await expect(passwords.find(acme.app.id as AppId, user, 'x')).rejects.toThrow(SealAltered);
  });

  it('a client, a resource and a grant of the authorization server that are inserted', async () => {
    const appId = acme.app.id as AppId;
    await sql(
      `insert into authorization_clients (app_id, id, name, type, settings, created_at, updated_at)
       values ($1, 'client_1', 'Thief', 'web', '{"scopes":["offline_access"]}', now(), now())`,
      [appId],
    );
    const clients = service.nest.get(OauthClientRepository, { strict: false });
    await expect(clients.get(appId, 'client_1' as never)).rejects.toThrow(SealAltered);
    expect((await clients.list(appId, { limit: 100 })).items).toEqual([]);
    await sql(
      `insert into authorization_resources (app_id, id, audience, canonical, name, scopes, token_seconds, created_at, updated_at)
       values ($1, 'resource_1', 'a', 'a', 'Thief', '{}', 60, now(), now())`,
      [appId],
    );
    const resources = service.nest.get(OauthResourceRepository, { strict: false });
    await expect(resources.ofAudience(appId, 'a')).rejects.toThrow(SealAltered);
    expect((await resources.list(appId, { limit: 100 })).items).toEqual([]);
    await sql(
      `insert into authorization_grants (app_id, id, user_id, client_id, session_id, granted, rejected, is_offline, session_ends_at)
       values ($1, 'grant_1', 'user_1', 'client_1', 'sess_1', '{}', '{}', true, now())`,
      [appId],
    );
    const grants = service.nest.get(GrantRepository, { strict: false });
    await expect(grants.live(appId, 'grant_1' as never)).rejects.toThrow(SealAltered);
    expect((await grants.list(appId, { limit: 100 })).items).toEqual([]);
  });

  it.each([
    ['the name of its client', `update authorization_clients set name = 'Your bank' where app_id = $1`],
    [
      'the end of its session',
      `update authorization_grants set session_ends_at = now() + interval '1 year' where app_id = $1`,
    ],
    ['its last use', `update authorization_grants set used_at = now() + interval '1 year' where app_id = $1`],
  ])('what a user has granted at the authorization server: %s', async (what, text) => {
    const app = await service.given.app();
    const [appId, userId] = [app.id as AppId, (await service.given.user(app)).user_id as UserId];
    const clients = service.nest.get(OauthClientRepository, { strict: false });
    const grants = service.nest.get(GrantRepository, { strict: false });
    const path = `/management/v1/apps/${appId}/oauth_clients`;
    const scopes = ['offline_access'];
    const body = { name: 'Import', type: 'confidential', grant_types: ['client_credentials'], scopes };
    const clientId = (await service.ok('POST', path, { key: MANAGEMENT_KEY, body })).id as OauthClientId;
    const [id, none] = [newId('grant'), { user: [], resources: {} }];
    const offline = { isOffline: true, sessionId: newId('session'), sessionEndsAt: new Date() };
    await grants.insert({ appId, id, userId, clientId, granted: none, rejected: none, ...offline });
    await sql(`update authorization_grants set used_at = now() - interval '1 hour' where app_id = $1`, [appId]);
    await signRows(service, 'authorization_grants');
    await grants.use((await grants.live(appId, id))!);
    expect(await grants.live(appId, id)).toMatchObject({ usedAt: expect.any(Date) });
    await sql(text, [appId]);
    const used = what.startsWith('the name') ? clients.get(appId, clientId) : grants.live(appId, id);
    await expect(used).rejects.toThrow(SealAltered);
  });

  it('an address that waits for the recovery of an account, and gets it at once or is another one', async () => {
    const recoveries = service.nest.get(RecoveryRepository, { strict: false });
    const appId = acme.app.id as AppId;
    const begin = async () => {
      const email = `${unique()}@example.com`;
      const [victim, address] = [
        (await acme.user()) as UserId,
        { kind: 'email' as const, text: email, canonical: email },
      ];
      await service.nest.get(Transactions).run(() => recoveries.begin(appId, victim, address, 0));
      return { victim, address };
    };
    const [right, early, other] = [await begin(), await begin(), await begin()];
    expect(await recoveries.readyFor(appId, right.address)).toBe(right.victim);
    await sql(`update recoveries set ready_at = ready_at - interval '1 hour' where user_id = $1`, [early.victim]);
    await expect(recoveries.readyFor(appId, early.address)).rejects.toThrow(SealAltered);
    await sql(`update recoveries set canonical = 'x' || canonical where user_id = $1`, [other.victim]);
    const moved = { ...other.address, canonical: `x${other.address.canonical}` };
    await expect(recoveries.readyFor(appId, moved)).rejects.toThrow(SealAltered);
  });

  it.each([
    ['was there before its passkey', `update approver_members set since = now() + interval '1 day' where app_id = $1`],
    [
      'has an approved passkey',
      `insert into approver_passkeys (app_id, group_id, passkey_id, user_id, approved_by, approved_at)
       select app_id, group_id, $2, user_id, user_id, now() from approver_members where app_id = $1`,
    ],
    [
      'was there before its passkey, by the time of the group',
      `with gone as (delete from approver_members where app_id = $1)
       update approver_groups set created_at = now() + interval '1 day' where app_id = $1`,
    ],
  ])('a member of an approver group who %s', async (what, text) => {
    const policies = await PolicyApp.of(service);
    const holder = await PasskeyApp.at(service, policies.app).holder();
    const group = (await policies.group([holder.userId])) as ApproverGroupId;
    const voter = {
      userId: holder.userId as UserId,
      passkey: { id: 'passkey_later' as never, createdAt: new Date(Date.now() + 60_000) },
      passkeyHours: 24,
    };
    const mayVote = () =>
      service.nest.get(ApproverGroupRepository, { strict: false }).mayVote(policies.app.id as AppId, group, voter);
    expect(await mayVote()).toBe(false);
    await sql(text, what.startsWith('was') ? [policies.app.id] : [policies.app.id, voter.passkey.id]);
    await expect(mayVote()).rejects.toThrow(SealAltered);
  });

  const provenEmail = (email: string) =>
    service.nest.get(ProveAddress, { strict: false }).email(acme.app.id as AppId, email);

  it.each([
    ['is moved to another user', `user_id = $2`],
    ['gets another text', `canonical = 'x' || canonical, text = 'x' || text`],
    ['is verified', `verified_at = now()`],
    ['loses its MAC', `mac = null, verified_at = null`],
  ])('an email address that %s', async (_, assignment) => {
    const email = `${unique()}@example.com`;
    const [victim] = [await acme.user(), await acme.user({ email })];
    await sql(
      `update emails set ${assignment}, updated_at = case when $2 = '' then now() else updated_at end where canonical = $1`,
      [email, victim],
    );
    const proved = assignment.startsWith('canonical') ? `x${email}` : email;
    await expect(provenEmail(proved)).rejects.toThrow(SealAltered);
  });

  it('a phone number that is moved to another user', async () => {
    const phone_number = `+49151${String(Date.now()).slice(-8)}`;
    const [victim] = [await acme.user(), await acme.user({ phone_number })];
    await sql(`update phone_numbers set user_id = $2 where canonical = $1`, [phone_number, victim]);
    const proving = service.nest.get(ProveAddress, { strict: false }).phoneNumber(acme.app.id as AppId, phone_number);
    await expect(proving).rejects.toThrow(SealAltered);
  });

  it.each([
    ['is moved to another user', `user_id = $2`],
    ['gets the subject of another', `subject = subject || 'x', user_id = case when $2 = '' then '' else user_id end`],
  ])('an identity at a provider that %s', async (_, assignment) => {
    const subject = unique();
    const signIn = (of: string) =>
      service.nest.get(SignInWithProvider, { strict: false }).execute(acme.app.id as AppId, {
        connectionId: 'conn_1' as OauthConnectionId,
        provider: 'acme',
        subject: of,
      });
    await signIn(subject);
    await sql(`update provider_identities set ${assignment} where subject = $1`, [subject, await acme.user()]);
    await expect(signIn(assignment.startsWith('user_id') ? subject : `${subject}x`)).rejects.toThrow(SealAltered);
  });

  it('a wallet that is inserted as a sign-in method, or moved to another user', async () => {
    const address = `0x${unique()}`;
    await sql(
      `insert into wallets (app_id, id, user_id, wallet_type, public_address, verified, is_default, is_read_only, is_imported)
       values ($1, $2, $3, 'ethereum', $4, true, false, true, true)`,
      [acme.app.id, `wallet_${unique()}`, await acme.user(), address],
    );
    const login = service.nest.get(WalletRepository, { strict: false }).findLogin(acme.app.id as AppId, address);
    await expect(login).rejects.toThrow(SealAltered);
  });

  it('a user who was deactivated, and is made active again', async () => {
    const holder = await acme.holder();
    await acme.manage('POST', `/users/${holder.userId}/deactivate`);
    await sql('update users set deactivated_at = null where id = $1', [holder.userId]);
    for (const fields of [{}, { session_expires_in: 60 }])
      expect(outcome(await acme.verify(await acme.assertion(holder), fields))).toEqual(REFUSED);
  });

  it.each([
    ['the external_id of another', `external_id = 'customer-7'`],
    ['a role', `metadata = '{"role": "owner"}'`],
    ['no metadata', `metadata = '{}'`],
  ])('a user about whom JWTs state what SQL wrote: %s', async (_, assignment) => {
    const app = await service.given.app();
    const path = `/management/v1/apps/${app.id}`;
    const body = { session_claims: ['external_id', 'metadata'] };
    expect((await service.call('PATCH', path, { key: MANAGEMENT_KEY, body })).status).toBe(200);
    forgetSettings(service);
    const victim = await service.given.user(app, { external_id: 'customer-7' });
    const thief = await service.given.user(app, { external_id: 'customer-8', metadata: { role: 'guest' } });
    const claims = decodeJwt((await signIn(service, app, thief)).session_jwt);
    expect(claims).toMatchObject({ external_id: 'customer-8', metadata: { role: 'guest' } });
    await sql('update users set external_id = null where id = $1', [victim.user_id]);
    await sql(`update users set ${assignment} where id = $1`, [thief.user_id]);
    for (const user of [thief, victim]) await expect(signIn(service, app, user)).rejects.toThrow(SealAltered);
    const update = { key: app.secretKey, body: { first_name: 'Ann', metadata: { plan: 'pro' } } };
    expect((await service.call('PUT', `/v1/auth/users/${thief.user_id}/update`, update)).status).toBe(200);
    await expect(signIn(service, app, thief)).rejects.toThrow(SealAltered);
    const exported = await service.call('GET', `${path}/users/export`, { key: MANAGEMENT_KEY });
    expect([exported.status, exported.text]).toEqual([200, '']);
  });

  it('an account that is opened for the person who proves its address', async () => {
    const email = `${unique()}@example.com`;
    const userId = await acme.user({ email });
    await session(userId);
    await sql(`update users set claim = 'open' where id = $1`, [userId]);
    await expect(provenEmail(email)).rejects.toThrow(SealAltered);
  });

  /** An app with a wallet and an active policy that denies all. */
  async function bounded() {
    const policies = PolicyApp.at(service, await service.given.app());
    const { app } = policies;
    const denying = await policies.version({ rules: [{ effect: 'deny' }] });
    const { user_id } = await service.given.user(app, { wallet_type: 'ethereum' });
    const { body } = await service.call('GET', '/v1/wallets/list', { key: app.secretKey, query: { user_id } });
    const path = `/v1/wallets/${body.wallets[0].id}/sign_message`;
    const sign = () => service.call('POST', path, { key: app.secretKey, body: { message: 'Hello' } });
    const alter = async (text: string, parameters: unknown[] = [app.id]) => {
      await sql(text, parameters);
      forgetSettings(service);
    };
    return { policies, app, denying, sign, alter, appId: app.id as AppId, userId: user_id };
  }

  it.each([
    ['a setting that bounds its keys', `signing_policy = '{"messages": "any"}'`],
    ['the revision of its policies', `signing_revision = 'x'`],
    ['the origins of its browsers', `allowed_origins = '{https://thief.example}'`],
    ['its deletion', `deleted_at = null, mac = null`],
  ])('an app: %s', async (_, assignment) => {
    const { sign, alter, policies } = await bounded();
    expect((await sign()).status).toBe(200);
    await alter(`update apps set ${assignment} where id = $1`);
    expect(outcome(await sign())).toEqual(REFUSED);
    expect(outcome(await policies.manage('GET', ''))).toEqual(REFUSED);
  });

  it('an app whose emails lead elsewhere', async () => {
    const { app, appId, alter } = await bounded();
    await alter(`update apps set messages = '{"webDomain": "thief.example"}' where id = $1`);
    await expect(service.nest.get(Brands, { strict: false }).of(appId)).rejects.toThrow(SealAltered);
    expect(outcome(await service.call('GET', `/management/v1/apps/${app.id}`, { key: MANAGEMENT_KEY }))).toEqual(
      REFUSED,
    );
  });

  it.each([
    ['the app is thawed', `update apps set frozen_at = null where id = $1`],
    ['the freeze of a user is moved', `update freezes set id = 'user_00000000000000000000000000' where app_id = $1`],
    ['a freeze is deleted', `delete from freezes where app_id = $1`],
    [
      'the policy is retired',
      `update policies set state = 'retired', retired_at = now() where app_id = $1 and state = 'active'`,
    ],
    ['the policy is deleted', `delete from policies where app_id = $1 and state = 'active'`],
    [
      'another version is active',
      `update policies set state = case state when 'active' then 'retired' else 'active' end where app_id = $1`,
    ],
    ['the policy has other rules', `update policies set rules = '[]' where app_id = $1`],
    [
      'the policy judges another key',
      `update policies set scope_kind = 'key', scope_id = 'key_1' where app_id = $1 and state = 'active'`,
    ],
  ])('what bounds the signatures of an app, when %s', async (what, text) => {
    const { policies, denying, sign, alter, userId } = await bounded();
    await policies.version({ rules: [{ effect: 'allow' }] });
    await policies.activate(denying);
    if (what.includes('thawed')) await policies.manage('POST', '/freeze', {});
    if (what.includes('freeze')) await policies.manage('POST', `/users/${userId}/freeze`, {});
    expect((await sign()).status).toBe(403);
    await alter(text);
    service.nest.get(SigningStates, { strict: false })['states'].clear();
    expect(outcome(await sign())).toEqual(REFUSED);
    expect(outcome(await policies.activate(denying))).toEqual(REFUSED);
  });

  it.each([
    ['a freeze', 'freezes', 'delete from freezes where app_id = $1'],
    ['a policy', 'policies', `update policies set state = 'draft' where app_id = $1 and state = 'active'`],
  ])('what bounds the signatures of an app, when %s ends while a brake is applied', async (_, table, text) => {
    const { app, policies, denying, sign, userId } = await bounded();
    await policies.activate(denying);
    await policies.manage('POST', `/users/${userId}/freeze`, {});
    const other = await service.given.user(app);
    const thief = await Observer.of(service);
    const facade = service.nest.get(AppsFacade);
    const changeSigning = facade.changeSigning.bind(facade);
    let altered: Promise<unknown> = Promise.resolve();
    const compared = jest.spyOn(facade, 'changeSigning').mockImplementation(async (...args) => {
      let isDone = false;
      altered = thief.rows(text, [app.id]).finally(() => (isDone = true));
      await observer.untilWaiting(table, () => (isDone ? 0 : 1));
      return changeSigning(...args);
    });
    expect((await policies.manage('POST', `/users/${other.user_id}/freeze`, {})).status).toBe(200);
    compared.mockRestore();
    await altered;
    await thief.close();
    forgetSettings(service);
    service.nest.get(SigningStates, { strict: false })['states'].clear();
    expect(outcome(await sign())).toEqual(REFUSED);
  });

  it('an app that is restored after a change of it was put to approvers', async () => {
    const policies = await PolicyApp.of(service);
    const denying = await policies.version({ rules: [{ effect: 'deny' }] });
    await policies.activate(denying);
    const group = await policies.group([await policies.approver()]);
    await policies.manage('PATCH', '', { policy_change: { group, count: 1 } });
    const alter = (to: string) => sql(`update apps set signing_revision = ${to} where id = $1`, [policies.app.id]);
    await alter(`'x' || signing_revision`);
    expect(outcome(await policies.retire(denying))).toEqual([409, 'approval_required']);
    expect(outcome(await policies.activate(denying))).toEqual(REFUSED);
    await alter('substr(signing_revision, 2)');
    expect((await policies.activate(denying)).status).toBe(200);
  });

  it('a URL that browsers are sent to', async () => {
    const { app, appId, alter } = await bounded();
    const [thief, facade] = ['https://thief.example/', service.nest.get(AppsFacade)];
    await service.given.redirectUrl(app, 'login', 'https://shop.example/');
    await alter(`update redirect_urls set url = $2 where app_id = $1`, [app.id, thief]);
    await expect(facade.redirectUrl(appId, 'login', thief)).rejects.toThrow(SealAltered);
    await expect(facade.redirectUrl(appId, 'login')).rejects.toThrow(SealAltered);
    const listed = await service.call('GET', `/management/v1/apps/${app.id}/redirect_urls`, { key: MANAGEMENT_KEY });
    expect([listed.status, listed.body.redirect_urls]).toEqual([200, []]);
  });

  it.each([
    'trusts_email = true',
    `email_domains = '{example.com}'`,
    `client_id = 'thief'`,
    `issuer = 'https://t.example'`,
  ])('a connection to a provider: %s', async (assignment) => {
    const { app, appId, alter } = await bounded();
    const connection = { provider: 'microsoft', client_id: 'c', client_secret: 's' };
    const { id } = await service.given.connection(app, connection);
    await alter(`update oauth_connections set ${assignment} where app_id = $1`);
    const facade = service.nest.get(AppsFacade);
    await expect(facade.connection(appId, 'microsoft')).rejects.toThrow(SealAltered);
    await expect(facade.connectionById(id as OauthConnectionId)).rejects.toThrow(SealAltered);
    await expect(facade.connectionOf(appId, id as OauthConnectionId)).rejects.toThrow(SealAltered);
  });

  const link = async (user_id: string, fields: object = {}) =>
    (await post('/v1/auth/magic_links/create', { user_id, ...fields })).body.token as string;
  const follow = (token: string, fields: object = {}) => post('/v1/auth/magic_links/verify', { token, ...fields });

  it.each([
    ['its user', 'user_id = $1', {}],
    ['its email', `email_id = 'email_1', email = $1`, {}],
    [
      'its device',
      `ip = null, email = case when $1 = '' then '' else email end`,
      { device_fingerprint: { ip: '192.0.2.1' } },
    ],
  ])('a magic link: %s', async (_, assignment, device) => {
    const [victim, thief] = [await acme.user(), await acme.user()];
    const token = await link(thief, device);
    await sql(`update magic_links set ${assignment} where user_id = $2`, [victim, thief]);
    expect(outcome(await follow(token, { device_fingerprint: { ip: '192.0.2.9' } }))).toEqual(REFUSED);
    expect(outcome(await follow(token, { ...device, session_expires_in: 5 }))).toEqual(REFUSED);
  });

  it.each(['was followed', 'was revoked'])('a magic link that %s, and is made live again', async (what) => {
    const user = await acme.user();
    const token = await link(user);
    if (what === 'was followed') expect((await follow(token)).status).toBe(200);
    else
      await service.nest
        .get(MagicLinkRepository, { strict: false })
        .revokeAllOf(acme.app.id as AppId, user as UserId, []);
    await sql('update magic_links set consumed_at = null where user_id = $1', [user]);
    expect(outcome(await follow(token))).toEqual(REFUSED);
  });

  it.each(['user_id = $1', `address = $1`])('a passcode: %s', async (assignment) => {
    const [passcodes, victim] = [service.nest.get(PasscodeRepository, { strict: false }), await acme.user()];
    const appId = acme.app.id as AppId;
    const thief = (await acme.user()) as UserId;
    const { rows } = { rows: await sql('select id from emails where user_id = $1', [thief]) };
    const methodId = rows[0]!['id'] as EmailId;
    const sealedCode = service.nest.get(Vault).seal(Buffer.from('123456'), ['otp-code', appId, methodId]);
    const passcode = { appId, methodId, userId: thief, address: 'a@example.com', sealedCode, codeHash: null };
    await service.nest.get(Transactions).run(async () => passcodes.add(passcode as never, 5));
    await sql(`update otps set ${assignment} where method_id = $2`, [victim, methodId]);
    await expect(passcodes.beginTry(appId, methodId, null)).rejects.toThrow(SealAltered);
  });

  it.each([
    ['its user', 'user_id = $1'],
    [
      'the browser that began it',
      `code_challenge = null, is_browser_bound = true, subject = case when $1 = '' then '' else subject end`,
    ],
  ])('the ticket of a login at a provider: %s', async (_, assignment) => {
    const tickets = service.nest.get(OauthLoginRepository, { strict: false });
    const [appId, victim, tokenHash] = [acme.app.id as AppId, await acme.user(), randomBytes(32) as TokenHash];
    const ticket = {
      appId,
      tokenHash,
      userId: (await acme.user()) as UserId,
      connectionId: 'conn_1' as OauthConnectionId,
      provider: 'acme',
      subject: 's',
      providerIdentityId: null,
      sealedTokens: Buffer.from('x') as never,
      codeChallenge: 'c',
      isBrowserBound: false,
      userCreated: false,
      prepared: { at: new Date(), fields: ['password'] },
    };
    await tickets.addTicket(ticket, 5);
    const set = `update login_tickets set ${assignment} where token_hash = $2`;
    await sql(set, [victim, tokenHash]);
    await expect(tickets.consumeTicket(appId, tokenHash)).rejects.toThrow(SealAltered);
    const another = { ...ticket, tokenHash: randomBytes(32) as TokenHash };
    await tickets.addTicket(another, 5);
    expect(await tickets.consumeTicket(appId, another.tokenHash)).toMatchObject({ prepared: ticket.prepared });
    await sql('update login_tickets set consumed_at = null where token_hash = $1', [another.tokenHash]);
    await expect(tickets.consumeTicket(appId, another.tokenHash)).rejects.toThrow(SealAltered);
  });
});

/** Their attacks are in the tests of their modules. */
const ATTACKED_ELSEWHERE =
  'transfers approvals approval_votes spend_events spend_sums api_keys management_keys management_sessions';

it('each wrong row was counted, by its table', async () => {
  const { text } = await service.call('GET', '/metrics');
  const counted = [...text.matchAll(/^seal_failures_total\{kind="row of (\w+)"\} [1-9]/gm)].map(([, table]) => table!);
  const elsewhere = ATTACKED_ELSEWHERE.split(' ');
  const tables = MacTables.declared.map(({ table }) => table).filter((table) => !elsewhere.includes(table));
  expect(counted.toSorted()).toEqual([...new Set(tables)].toSorted());
});

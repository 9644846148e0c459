import type { IncomingMessage, RequestListener } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { BrowserSession, KoaContext, OidcClient, Token } from 'oidc-provider';
import { Clock, epochSeconds } from '../../../kernel/clock.js';
import { DomainError } from '../../../kernel/domain-error.js';
import { DomainEvents } from '../../../kernel/domain-events.js';
import { InvalidRequest, TooManyRequests } from '../../../kernel/errors.js';
import {
  type AppId,
  isId,
  type OauthClientId,
  type SessionId,
  type SigningKeyId,
  type UserId,
} from '../../../kernel/ids.js';
import { RecentlyUsed } from '../../../kernel/recently-used.js';
import { SecretTokens } from '../../../kernel/secret-tokens.js';
import { ServiceKeys } from '../../../kernel/service-keys.js';
import { Transactions } from '../../../kernel/transactions.js';
import { isDatabaseUnavailable } from '../../../postgres/database-unavailable.js';
import { requireVersion } from '../../../postgres/written-for.js';
import { Config } from '../../../services/config/config.js';
import { Outbound } from '../../../services/outbound/outbound.js';
import { TokenBuckets } from '../../../edge/limits/token-buckets.js';
import { AppsFacade } from '../../apps/index.js';
import { Budgets, TokenPolicies, WALLET_SPEND } from '../../policy/index.js';
import { SessionFacade, type TokenKeys } from '../../session/index.js';
import { AccessTokens } from '../domain/access-token.js';
import { meets, type Level } from '../domain/authentication.js';
import { AUTHORIZATION_SERVER, type AuthorizationServerSettings, issuerOf } from '../domain/authorization-server.js';
import { isPublicKey } from '../domain/client-rules.js';
import { GrantRevoked } from '../domain/authorization.events.js';
import { GrantRepository, type LiveGrant } from '../domain/grant.js';
import type { InteractionResult } from '../domain/interaction.js';
import { isDocumentOf } from '../domain/metadata-document.js';
import { CLIENT_SECRET, ClientNotFound, OauthClientRepository, TOKEN_EXCHANGE } from '../domain/oauth-client.js';
import { canonicalAudience, OauthResourceRepository } from '../domain/oauth-resource.js';
import { OFFLINE_ACCESS, SPENDING_SCOPES, USER_SCOPES } from '../domain/oauth-scope.js';
import { Artifacts, type Payload, PUSHED_REQUEST } from './artifacts.js';
import { type Library, library, signingKeysOf } from './library.js';
import { FETCH, MetadataDocuments } from './metadata-documents.js';
import { logoutPage, noticePage } from './pages.js';
import {
  CONFIGURATION,
  FEATURES,
  INTERACTION_SECONDS,
  metadataOf,
  type PreviousSecret,
  settingsOf,
  WANTS_OFFLINE,
} from './provider-configuration.js';
import { ACCESS_TOKEN, type Delegation, EXCHANGE_PARAMETERS, mayRead, TokenExchange } from './token-exchange.js';
import { UserClaims } from './user-claims.js';

requireVersion('oidc-provider', '9.13');

/** A provider has about 40 KiB and takes 2 ms to make. */
const MOST_PROVIDERS = 500;

/** The limit of all parameters together: they are stored until the login page has answered. */
const MOST_BYTES = 4_096;

const MOST_ASSERTION_SECONDS = 600;

/** A site that keeps no token logs in with each page, so a grant may need several in a minute. */
const REFRESH_SECONDS = 600;
export const MOST_REFRESHES = 600;

const MOST_KEY_BYTES = 65_536;

/** The session of the user, in `authorizations` of a browser's login beside those of clients. */
const LOGIN = 'login';

export interface EndpointCall {
  /** The client has proved who it is. */
  countForClient(clientId: string): void;
  giveBack(clientId: string): void;
  countForNetwork(): void;
  failed(cause: unknown): void;
}

interface Call extends EndpointCall {
  isCounted?: boolean;
  /** Whether the client's assertion is a copy is not known yet. */
  hasAsserted?: boolean;
  failure?: unknown;
  /** The login page has answered this interaction, and the browser returns from it. */
  answered?: { readonly uid: string; readonly interaction: Payload; readonly accountId: UserId | undefined };
  grant?: LiveGrant;
  /** The library stores these for a token request, in this order. */
  readonly writes: (() => Promise<void>)[];
  delegation?: Delegation;
  /** Stores the proof that came to userinfo, once the token has counted. */
  isFirstUse?: () => Promise<boolean>;
}

interface Provider {
  readonly etag: string;
  readonly serve: (...call: Parameters<RequestListener>) => Promise<void>;
}

/** An app's `oidc-provider` is made on first use, and anew when the app's keys change. */
@Injectable()
export class Providers {
  private readonly known = new RecentlyUsed<AppId, Provider>(MOST_PROVIDERS);
  private readonly calls = new WeakMap<IncomingMessage, Call>();
  private readonly refreshes = new TokenBuckets(REFRESH_SECONDS);

  constructor(
    private readonly apps: AppsFacade,
    private readonly sessions: SessionFacade,
    private readonly clients: OauthClientRepository,
    private readonly resources: OauthResourceRepository,
    private readonly grants: GrantRepository,
    private readonly artifacts: Artifacts,
    private readonly accessTokens: AccessTokens,
    private readonly documents: MetadataDocuments,
    private readonly exchanges: TokenExchange,
    private readonly users: UserClaims,
    private readonly policies: TokenPolicies,
    private readonly budgets: Budgets,
    private readonly tokens: SecretTokens,
    private readonly serviceKeys: ServiceKeys,
    private readonly outbound: Outbound,
    private readonly events: DomainEvents,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  async serve(appId: AppId, call: EndpointCall, ...[request, response]: Parameters<RequestListener>): Promise<void> {
    this.calls.set(request, { ...call, writes: [] });
    const { serve } = await this.of(appId);
    await serve(request, response);
  }

  private async of(appId: AppId): Promise<Provider> {
    const keys = await this.sessions.tokenKeys(appId);
    const known = this.known.get(appId);
    if (known?.etag === keys.etag) return known;
    const lib = await library();
    const issuer = issuerOf(this.config.baseUrl, appId);
    const { protocol, pathname: path } = new URL(issuer);
    const secure = protocol === 'https:';
    const cookie = { signed: true, httpOnly: true, secure, sameSite: 'lax', path };
    // A program of another site may send its request by POST.
    const long = { ...cookie, sameSite: 'none' };
    const provider = new lib.default(issuer, {
      ...CONFIGURATION,
      assertJwtClientAuthClaimsAndHeader: (ctx: KoaContext, claims: Payload) =>
        this.onAssertion(lib, ctx, Number(claims['exp'])),
      fetch: (url: string) => this.fetch(appId, url),
      adapter: (model: string) => this.adapter(appId, lib, model),
      cookies: { keys: [this.serviceKeys.derive('oauth cookies').export()], long, short: cookie },
      enableHttpPostMethods: true,
      findAccount: (ctx: KoaContext, id: string) => this.account(appId, lib, ctx, id as UserId),
      formats: {
        customizers: {
          jwt: ({ req }: KoaContext, { grantId }: Token, { payload }: { payload: Payload }) =>
            void Object.assign(
              payload,
              grantId !== undefined && { grant_id: grantId },
              this.calls.get(req)!.delegation,
            ),
        },
      },
      interactions: {
        policy: this.policy(lib),
        url: (_ctx: unknown, { uid }: { uid: string }) => this.page(appId, uid),
      },
      jwks: { keys: signingKeysOf(lib, keys) },
      revokeGrantPolicy: (ctx: KoaContext) => !revokesAccessToken(ctx),
      renderError: (ctx: KoaContext, out: { error: string; error_description?: string }) => {
        if (isForBrowsers(ctx))
          noticePage(ctx, 'The request cannot be completed', `${out.error}: ${out.error_description ?? ''}`);
        else ctx.body = out;
      },
      features: {
        ...FEATURES,
        introspection: {
          enabled: true,
          allowedPolicy: (_ctx: KoaContext, client: OidcClient, { clientId }: { clientId: string }) =>
            client.clientId === clientId,
        },
        revocation: {
          enabled: true,
          allowedPolicy: (_ctx: KoaContext, client: OidcClient, { clientId }: { clientId: string }) =>
            client.clientId === clientId ||
            refuse(new lib.errors.InvalidRequest('the token belongs to another client')),
        },
        rpInitiatedLogout: {
          enabled: true,
          logoutSource: logoutPage,
          postLogoutSuccessSource: (ctx: KoaContext) =>
            noticePage(ctx, 'You are signed out', 'You may close this page.'),
        },
        resourceIndicators: {
          enabled: true,
          defaultResource: (ctx: KoaContext, client: OidcClient, several?: string[]) => {
            const resource = several ?? canonical(settingsOf(client).defaultResource);
            if (resource === undefined && ctx.oidc?.params?.['grant_type'] === 'client_credentials')
              throw new lib.errors.InvalidTarget('name a resource, because the client has no default_resource');
            return resource;
          },
          getResourceServerInfo: async (ctx: KoaContext, indicator: string, client: OidcClient) =>
            (await this.resourceServer(appId, ctx, indicator, client)) ?? refuse(new lib.errors.InvalidTarget()),
          useGrantedResource: () => true,
        },
        richAuthorizationRequests: {
          enabled: true,
          types: {
            [WALLET_SPEND]: {
              validate: (ctx: KoaContext, detail: unknown) => this.requireBudget(appId, lib, ctx, detail),
            },
          },
          authorizationDetailsForGrantSource: ({ oidc }: KoaContext) => oidc!.grant?.rar,
          authorizationDetailsForAccessToken: (_ctx: KoaContext, token: Token, source?: Token) =>
            token.aud === this.config.baseUrl ? source?.rar : undefined,
          authorizationDetailsForIntrospection: (_ctx: KoaContext, { rar }: Token) => rar,
        },
      },
    });
    provider.registerGrantType(
      TOKEN_EXCHANGE,
      (ctx) => this.exchange(appId, lib, provider, ctx),
      EXCHANGE_PARAMETERS,
      'resource',
    );
    this.adapt(appId, provider, lib, keys);
    provider.proxy = true;
    provider.silent = true;
    provider.on('server_error', ({ req }, error) => {
      this.calls.get(req)!.failure = error;
    });
    provider.use((ctx, next) => this.respond(appId, ctx, next));
    const made = { etag: keys.etag, serve: provider.callback() };
    this.known.set(appId, made);
    return made;
  }

  private adapt(
    appId: AppId,
    provider: InstanceType<Library['default']>,
    lib: Library,
    { publicKeys }: TokenKeys,
  ): void {
    const { OIDCContext, Client, IdToken, Session } = provider;
    // The library would take host and protocol from the request.
    const origin = new URL(this.config.baseUrl).origin;
    OIDCContext.prototype.urlFor = (name, options) =>
      new URL(provider.pathFor(name, options as Record<string, string>), origin).href;
    const assign = OIDCContext.prototype.entity;
    const onClient = (ctx: KoaContext, client: OidcClient): void => this.onClient(ctx, lib, client);
    OIDCContext.prototype.entity = function (key, value) {
      assign.call(this, key, value);
      if (key === 'Client' && value) onClient(this.ctx, value as OidcClient);
    };
    const isSecret = (client: OidcClient, secret: string): boolean => this.isSecret(client, secret, lib.default.ctx!);
    Client.prototype.compareClientSecret = async function (this: OidcClient, secret: string) {
      return isSecret(this, secret);
    };
    // Here the library has all parameters, also of a pushed request, and has not judged them yet.
    const isAllowed = Client.prototype.responseTypeAllowed;
    const onRequest = (client: OidcClient): void => this.onRequest(lib.default.ctx!, lib, client);
    Client.prototype.responseTypeAllowed = function (this: OidcClient, type: string) {
      onRequest(this);
      return isAllowed.call(this, type);
    };
    // The library reads before it stores, so simultaneous calls would all find nothing.
    provider.ReplayDetection.unique = async (clientId, jti, expiresAt) => {
      const { req, oidc } = lib.default.ctx!;
      const { route, client } = oidc!;
      const call = this.calls.get(req)!;
      const seconds = expiresAt - epochSeconds(this.clock.now());
      if (route === 'userinfo') {
        // Neither the key nor the rate of the client has been checked yet.
        call.isFirstUse = () => this.artifacts.isFirstUse(appId, clientId, jti, seconds);
        return true;
      }
      // A caller can make a public client's proof at `/par`, which only names a key.
      if (route === 'pushed_authorization_request' && client!.clientAuthMethod === 'none') return true;
      const isFirst = await this.artifacts.isFirstUse(appId, clientId, jti, seconds);
      // A copy of an assertion must not use up the rate of its client.
      if (isFirst && call.hasAsserted && !call.isCounted) this.count(req, client!);
      return isFirst;
    };
    // A program may keep its id_token for longer than keys are published. The sign-out then asks, as without it.
    const validate = IdToken.validate.bind(IdToken);
    IdToken.validate = async (jwt, client) => {
      const { route, entities } = lib.default.ctx!.oidc!;
      if (route !== 'end_session' || publicKeys.has(entities.IdTokenHint!.header.kid as SigningKeyId))
        return validate(jwt, client);
      entities.IdTokenHint = undefined;
    };
    Client.prototype.includeSid = () => true;
    Session.prototype.sidFor = function (this: BrowserSession) {
      return this.authorizations?.[LOGIN]?.sid;
    };
    const login = Session.prototype.loginAccount;
    Session.prototype.loginAccount = function (this: BrowserSession, details) {
      login.call(this, details);
      const sid = lib.default.ctx!.oidc!.entities.Interaction!.result!.login!.sid;
      const authorizations = this.authorizations?.[LOGIN]?.sid === sid ? this.authorizations : {};
      this.authorizations = { ...authorizations, [LOGIN]: { sid } };
      this.transient = details['transient'] === true;
    };
  }

  private policy({ interactionPolicy: { base, Check } }: Library) {
    const policy = base();
    const { checks } = policy.get('login');
    const add = (reason: string, error: string, check: (ctx: KoaContext) => boolean) =>
      checks.add(new Check(reason, 'the user must sign in', error, check), 0);
    // A login that the browser may not remember serves one request.
    add('not_remembered', 'login_required', ({ oidc }) => !oidc!.result?.login && oidc!.session!.transient === true);
    add('acr_values', 'login_required', ({ oidc }) => {
      const { acr, accountId } = oidc!.session!;
      const asked = oidc!.params!['acr_values'] as string | undefined;
      return !oidc!.result?.login && accountId !== undefined && !meets(acr as Level, asked);
    });
    // The library asks for a consent to scopes, of which a request for a further resource may have none.
    const isNotGranted = ({ oidc }: KoaContext): boolean =>
      Object.keys(oidc!.resourceServers).some((indicator) => !Object.hasOwn(oidc!.grant?.resources ?? {}, indicator));
    policy
      .get('consent')
      .checks.add(new Check('resource', 'the user must permit the resource', 'consent_required', isNotGranted));
    add('scope', 'login_required', ({ oidc }) => {
      const { route, params, client, resourceServers } = oidc!;
      if (route !== 'authorization') return false;
      // Only here are the resources known. A scope of another one counts no more than an unknown one.
      const scopes = fitting(scopesAsked(params!), Object.values(resourceServers));
      const mayRefresh = client!.grantTypeAllowed('refresh_token');
      params!['scope'] = scopes.filter((scope) => scope !== OFFLINE_ACCESS || mayRefresh).join(' ') || 'openid';
      return false;
    });
    return policy;
  }

  /** The user consents to a budget only at `/auth`. */
  private async requireBudget(appId: AppId, { errors }: Library, { oidc }: KoaContext, detail: unknown): Promise<void> {
    const { resource, authorization_details } = oidc!.params!;
    if (oidc!.route === 'token')
      throw new errors.InvalidAuthorizationDetails('ask for it in the authorization request');
    if ((JSON.parse(authorization_details as string) as unknown[]).length > 1)
      throw new errors.InvalidAuthorizationDetails('a grant has one budget');
    if (![resource].flat().includes(canonicalAudience(this.config.baseUrl)))
      throw new errors.InvalidTarget('a budget is for the API of this service');
    await this.budgets.read(appId, detail).catch((error: unknown) => {
      if (!(error instanceof InvalidRequest)) throw error;
      const faults = error.fields!.map(({ field, message }) => `${field} ${message}`);
      throw new errors.InvalidAuthorizationDetails(faults.join('; '));
    });
  }

  private async page(appId: AppId, uid: string): Promise<string> {
    const server = await this.apps.moduleSettings<AuthorizationServerSettings>(appId, AUTHORIZATION_SERVER);
    const url = new URL(server!.loginUrl);
    url.searchParams.set('interaction', uid);
    return url.href;
  }

  private adapter(appId: AppId, lib: Library, model: string) {
    const { artifacts, grants } = this;
    if (model === 'Client') return { find: (id: string) => this.metadata(appId, id) };
    if (model === 'Grant')
      return {
        find: (id: string) => this.grant(appId, lib, id),
        destroy: (id: string) => this.endGrant(appId, id),
      };
    return {
      upsert: async (id: string, payload: Payload, seconds: number) => {
        // A browser without a login gets no row.
        if (model === 'Session' && payload['accountId'] === undefined) return;
        const { grant } = this.calls.get(lib.default.ctx!.req)!;
        await this.write(lib, async () => {
          if (model === 'RefreshToken') this.countRefresh(String(payload['grantId']));
          if (model === 'RefreshToken' && grant?.id === payload['grantId']) await grants.use(grant!);
          // A browser that has begun in time may come back later, and finds whether another one got the code.
          const kept = model === PUSHED_REQUEST ? INTERACTION_SECONDS : 0;
          await artifacts.store(appId, model, id, { ...payload, kept }, seconds + kept);
        });
      },
      find: (id: string) => this.found(appId, lib, model, id),
      findByUid: async () => undefined,
      consume: (id: string) =>
        this.write(lib, async () => {
          const { InvalidGrant, InvalidRequestUri } = lib.errors;
          if (!(await artifacts.consume(appId, model, id)))
            throw new (model === PUSHED_REQUEST ? InvalidRequestUri : InvalidGrant)('it was used before');
        }),
      destroy: async (id: string) => {
        // Of simultaneous returns of a browser only one goes on.
        if (!(await artifacts.destroy(appId, model, id)) && model === 'Interaction')
          throw new lib.errors.SessionNotFound('it was used before');
      },
      revokeByGrantId: async (grantId: string) => {
        // An access token is revoked alone.
        if (isId('grant', grantId) && !revokesAccessToken(lib.default.ctx))
          await artifacts.destroyOfGrant(appId, grantId);
      },
    };
  }

  /** A used code is stored together with its tokens: a fault between them would end the login. */
  private async write(lib: Library, write: () => Promise<void>): Promise<void> {
    const ctx = lib.default.ctx;
    if (ctx?.oidc?.route === 'token') this.calls.get(ctx.req)!.writes.push(write);
    else await write();
  }

  private async commit({ writes }: Call): Promise<void> {
    await this.transactions.run(async () => {
      for (const write of writes) await write();
    });
  }

  private async exchange(
    appId: AppId,
    lib: Library,
    provider: InstanceType<Library['default']>,
    ctx: KoaContext,
  ): Promise<void> {
    const { AccessToken, ResourceServer } = provider;
    const { buildTokenResponse, checkDpopReplay, validateDpop } = lib.grantHelpers;
    const client = ctx.oidc!.client!;
    const exchange = await this.exchanges.of(appId, lib, ctx.oidc!);
    const { grant, resource } = exchange;
    const server = await this.resourceServer(appId, ctx, resource, client);
    if (!server) throw new lib.errors.InvalidTarget();
    const permitted = server.scope.split(' ');
    const scopes = exchange.scopes.filter((scope) => permitted.includes(scope));
    if (scopes.length === 0) throw new lib.errors.InvalidScope('none of the scopes is permitted to both clients');
    this.calls.get(ctx.req)!.delegation = exchange.delegation;
    const proof = await validateDpop(provider, ctx);
    const { subject } = exchange;
    const isOfOther = subject.clientId === client.clientId && proof?.thumbprint !== subject.jkt;
    if (subject.jkt !== undefined && (!proof || isOfOther))
      throw new lib.errors.InvalidRequest('a token that is bound to a key is exchanged with a proof');
    await checkDpopReplay(provider, ctx, proof, client.clientId);
    const token = new AccessToken({
      client,
      accountId: grant.userId,
      grantId: grant.id,
      gty: TOKEN_EXCHANGE,
      expiresIn: Math.min(server.accessTokenTTL, exchange.secondsLeft),
    });
    token.resourceServer = new ResourceServer(resource, server);
    token.scope = scopes.join(' ');
    if (proof) token.setThumbprint('jkt', proof.thumbprint);
    ctx.oidc!.entity('AccessToken', token);
    await this.write(lib, () => this.grants.use(grant));
    const { tokenType, expiration: expiresIn, scope } = token;
    const response = { accessToken: await token.save(), issuedTokenType: ACCESS_TOKEN, tokenType, expiresIn, scope };
    ctx.body = buildTokenResponse(provider, response);
  }

  private async endGrant(appId: AppId, id: string): Promise<void> {
    await this.transactions.run(async () => {
      const ended = isId('grant', id) && (await this.grants.end(appId, id));
      if (ended) await this.events.publish(GrantRevoked.of(appId, ended));
    });
  }

  private async found(appId: AppId, lib: Library, model: string, id: string): Promise<Payload | undefined> {
    if (model === 'AccessToken' && id.includes('.')) return this.readJwt(appId, id);
    const { answered } = this.calls.get(lib.default.ctx!.req) ?? {};
    // The library continues with the interaction of the cookie, even if the path names another one.
    if (answered && model === 'Interaction') return id === answered.uid ? answered.interaction : undefined;
    const payload = await this.artifacts.find(appId, model, id);
    if (model === PUSHED_REQUEST) {
      // Replicas of the release before keep none.
      if (payload)
        return {
          ...payload,
          exp: Number(payload['exp']) - Number(payload['kept'] ?? 0),
          request: withoutTimes(String(payload['request'])),
        };
      // It has made room for others, and may have been used.
      if (answered) throw new lib.errors.InvalidRequestUri('it has expired');
    }
    if (!payload || model !== 'Session') return payload;
    if (answered?.accountId !== undefined && answered.accountId !== payload['accountId']) return undefined;
    const { authorizations } = payload as Pick<BrowserSession, 'authorizations'>;
    const session = await this.sessions.liveOf(appId, authorizations?.[LOGIN]?.sid as SessionId);
    return session ? payload : undefined;
  }

  /** userinfo treats a JWT like an opaque token. It has `openid` only if its resource has that scope. */
  private async readJwt(appId: AppId, token: string): Promise<Payload | undefined> {
    const live = await this.accessTokens.read(appId, token);
    if (!live?.grant) return undefined;
    const { sub, client_id, grant_id, jti, iat, exp, scope, cnf } = live.claims;
    const parties = { accountId: sub, clientId: client_id, grantId: grant_id, jkt: cnf?.jkt };
    return { kind: 'AccessToken', ...parties, jti, iat, exp, scope };
  }

  private async grant(appId: AppId, { default: { ctx } }: Library, id: string): Promise<Payload | undefined> {
    const grant = isId('grant', id) && (await this.grants.live(appId, id));
    if (!grant) return undefined;
    this.calls.get(ctx!.req)!.grant = grant;
    const scopes = ({ user, resources }: typeof grant.rejected) => ({
      openid: { scope: user.join(' ') },
      resources: Object.fromEntries(Object.entries(resources).map(([audience, each]) => [audience, each.join(' ')])),
    });
    const parties = { accountId: grant.userId, clientId: grant.protocolClientId };
    const rejected = scopes(grant.rejected);
    const { budget } = grant.granted;
    return {
      kind: 'Grant',
      jti: id,
      ...parties,
      ...scopes(grant.granted),
      rejected,
      ...(budget && { rar: [budget.spend] }),
    };
  }

  private async account(appId: AppId, lib: Library, ctx: KoaContext, userId: UserId) {
    const call = this.calls.get(ctx.req)!;
    if (call.isFirstUse && !(await call.isFirstUse())) {
      call.isCounted = false;
      call.giveBack(ctx.oidc!.client!.clientId);
      throw new lib.errors.InvalidToken('the proof was used before');
    }
    const claims = await this.users.of(appId, userId);
    if (!claims) return undefined;
    return {
      accountId: userId,
      claims: (use: string) =>
        use === 'id_token' && !settingsOf(ctx.oidc!.client!).claimsInIdToken ? { sub: userId } : claims,
    };
  }

  private onClient(ctx: KoaContext, { errors }: Library, client: OidcClient): void {
    const { route, params } = ctx.oidc!;
    const call = this.calls.get(ctx.req)!;
    const { asymmetricKeyStore: keys } = client;
    // The library would keep keys that the client has withdrawn, and reads new ones only if none fits.
    if (client.jwksUri !== undefined && keys.stale()) keys.clear();
    const isUserinfo = route === 'userinfo';
    if (isUserinfo || (ctx.method === 'POST' && route !== 'authorization' && client.clientAuthMethod === 'none')) {
      call.isCounted = true;
      if (!isUserinfo) call.countForNetwork();
      call.countForClient(client.clientId);
    }
    if (!params) return;
    if (route === 'resume' && !client.redirectUriAllowed(String(params['redirect_uri']))) {
      // The URL was removed since the request, so an error must not go there either.
      ctx.oidc!.redirectUriCheckPerformed = false;
      throw new errors.InvalidRedirectUri();
    }
    if (route === 'token') canonicalize(params);
  }

  /** Runs at `/auth` and `/par` before the library judges the request. */
  private onRequest({ oidc }: KoaContext, { errors }: Library, client: OidcClient): void {
    const params = oidc!.params!;
    if (sizeOf(params) > MOST_BYTES)
      throw new errors.InvalidRequest(`the parameters must not have more than ${MOST_BYTES} bytes`);
    // A budget without a resource is for the API of this service.
    if (params['authorization_details'] !== undefined) params['resource'] ??= this.config.baseUrl;
    canonicalize(params);
    const settings = settingsOf(client);
    const hasResource = params['resource'] !== undefined || settings.defaultResource !== null;
    const ofResources = hasResource ? settings.scopes.filter((scope) => !USER_SCOPES.includes(scope)) : [];
    const permitted = ['openid', ...settings.scopes.filter((scope) => USER_SCOPES.includes(scope)), ...ofResources];
    const permittedOfRequest = scopesAsked(params).filter((scope) => permitted.includes(scope));
    const scopes = [permittedOfRequest, ofResources, ['openid']].find(({ length }) => length > 0)!;
    params[WANTS_OFFLINE] = scopes.includes(OFFLINE_ACCESS) ? 'true' : undefined;
    params['scope'] = scopes.filter((scope) => scope !== OFFLINE_ACCESS).join(' ') || undefined;
  }

  /** The assertion is remembered until it expires. */
  private onAssertion({ errors }: Library, { req }: KoaContext, expiresAt: number): void {
    if (expiresAt > epochSeconds(this.clock.now()) + MOST_ASSERTION_SECONDS)
      throw new errors.InvalidClientAuth(`the assertion must expire within ${MOST_ASSERTION_SECONDS} seconds`);
    this.calls.get(req)!.hasAsserted = true;
  }

  /** A public client has no key, and each refresh token has a row for 30 days. */
  private countRefresh(grantId: string): void {
    const { allowed, secondsToNext } = this.refreshes.take(grantId, MOST_REFRESHES);
    if (!allowed) throw new TooManyRequests(Math.ceil(secondsToNext));
  }

  private count(req: IncomingMessage, { clientId }: OidcClient): void {
    const call = this.calls.get(req)!;
    call.isCounted = true;
    call.countForClient(clientId);
  }

  /** The keys that a client publishes. */
  private async fetch(appId: AppId, url: string): Promise<Response> {
    const { status, body } = await this.outbound.send(url, { ...FETCH, maxBytes: MOST_KEY_BYTES, appId });
    if (status !== 200) return new Response(null, { status: 502 });
    const { keys } = JSON.parse(body) as { readonly keys?: unknown };
    return Response.json({ keys: Array.isArray(keys) ? keys.filter(isPublicKey) : [] });
  }

  private async respond(appId: AppId, ctx: KoaContext, next: () => Promise<void>): Promise<void> {
    const call = this.calls.get(ctx.req)!;
    try {
      if (!(await this.mayResume(appId, ctx, call))) return;
      await next();
      if (call.failure) throw call.failure as Error;
      if (call.writes.length > 0 && ctx.status < 400) await this.commit(call);
      const { route } = ctx.oidc ?? {};
      const { error } = (ctx.body ?? {}) as { error?: string };
      if (error === 'unsupported_token_type') await this.answerForJwt(appId, ctx);
      else if (route === 'discovery') await this.completeDiscovery(appId, ctx);
      else if (route?.startsWith('end_session')) await this.endSession(appId, ctx);
      else if (route === undefined) refuseWith(ctx, 404, 'invalid_request', 'there is no such endpoint');
      if (isDocument(ctx) && ctx.status < 400) ctx.set('Cache-Control', 'public, max-age=300');
      if (!isForBrowsers(ctx) && ctx.status >= 400 && !call.isCounted) call.countForNetwork();
    } catch (failure) {
      if (isUsedBefore(failure)) return refuseWith(ctx, 400, 'invalid_grant', 'it was used before');
      if (failure instanceof TooManyRequests) {
        ctx.set('Retry-After', String(failure.retryAfterSeconds));
        return refuseWith(ctx, 429, 'temporarily_unavailable', failure.message);
      }
      call.failed(failure);
      const isAway =
        isDatabaseUnavailable(failure) || (failure instanceof DomainError && failure.kind === 'unavailable');
      if (isAway) ctx.set('Retry-After', '2');
      refuseWith(ctx, isAway ? 503 : 500, isAway ? 'temporarily_unavailable' : 'server_error', 'try again later');
    } finally {
      adjustCookies(ctx);
    }
  }

  /**
   * Whether the browser has the secret that the login page was given; the library compares the cookie of the browser that began.
   * A person lured to the login page has the secret without the cookie; the attacker has the cookie without the secret.
   */
  private async mayResume(appId: AppId, ctx: KoaContext, call: Call): Promise<boolean> {
    const [, uid] = /^\/auth\/([\w-]+)$/.exec(ctx.path) ?? [];
    if (uid === undefined) return true;
    const { secret } = ctx.query;
    const interaction = typeof secret === 'string' ? await this.artifacts.answered(appId, uid, secret) : null;
    if (interaction) {
      const result = interaction['result'] as InteractionResult;
      call.answered = { uid, interaction, accountId: 'login' in result ? result.login.accountId : undefined };
    } else {
      ctx.status = 400;
      noticePage(
        ctx,
        'The request cannot be completed',
        'The sign-in was not completed in this browser, or it has expired.',
      );
    }
    return interaction !== null;
  }

  /** A valid hint is enough; without one the page of the library asks the user. */
  private async endSession(appId: AppId, ctx: KoaContext): Promise<void> {
    const { route, params, session, entities } = ctx.oidc!;
    if (ctx.status >= 400 || route === 'end_session_success') return;
    const hinted = entities.IdTokenHint?.payload['sid'];
    const confirmed = route === 'end_session_confirm' && params!['logout'] !== undefined;
    const sessionId = confirmed ? session?.authorizations?.[LOGIN]?.sid : hinted;
    if (isId('session', sessionId)) await this.transactions.run(() => this.sessions.end(appId, sessionId));
    if (route !== 'end_session' || (hinted === undefined && session?.accountId !== undefined)) return;
    const target = params!['post_logout_redirect_uri'] as string | undefined;
    const url = new URL(target ?? `${issuerOf(this.config.baseUrl, appId)}/logout/success`);
    if (target !== undefined && typeof params!['state'] === 'string') url.searchParams.set('state', params!['state']);
    ctx.body = '';
    ctx.redirect(url.href);
    ctx.status = 303;
  }

  /** The library refuses JWTs at both endpoints, after it has authenticated the client. */
  private async answerForJwt(appId: AppId, ctx: KoaContext): Promise<void> {
    const { route, client, params } = ctx.oidc!;
    const { claims, grant } = (await this.accessTokens.read(appId, params!['token'] as string)) ?? {};
    const isOwn = claims?.client_id === client!.clientId;
    ctx.status = 200;
    if (route === 'revocation') {
      ctx.body = '';
      if (claims && isOwn) await this.accessTokens.revoke(appId, claims);
      else if (claims) refuseWith(ctx, 400, 'invalid_request', 'the token belongs to another client');
      return;
    }
    const budget = claims?.aud === this.config.baseUrl ? grant?.granted.budget : undefined;
    const details = budget && { authorization_details: [budget.spend] };
    ctx.body =
      claims && mayRead(claims, client!, this.config.baseUrl)
        ? {
            active: true,
            ...claims,
            ...details,
            iss: issuerOf(this.config.baseUrl, appId),
            token_type: claims.cnf ? 'DPoP' : 'Bearer',
          }
        : { active: false };
  }

  private async completeDiscovery(appId: AppId, ctx: KoaContext): Promise<void> {
    const { items } = await this.resources.list(appId, { limit: 1_000 });
    ctx.body = {
      ...(ctx.body as object),
      response_modes_supported: ['query', 'form_post'],
      client_id_metadata_document_supported: (await this.metadataHosts(appId)).length > 0,
      // Some clients request exactly these.
      scopes_supported: [...new Set([...USER_SCOPES, ...items.flatMap(({ scopes }) => scopes)])],
    };
  }

  private async metadata(appId: AppId, id: string): Promise<Record<string, unknown> | undefined> {
    if (!isId('oauthClient', id)) {
      const hosts = await this.metadataHosts(appId);
      const described = isDocumentOf(hosts, id) ? await this.documents.client(appId, id) : null;
      return described ? metadataOf(described) : undefined;
    }
    try {
      const client = await this.clients.get(appId, id);
      return client.clientId === id ? metadataOf(client) : undefined;
    } catch (error) {
      if (error instanceof ClientNotFound) return undefined;
      throw error;
    }
  }

  private async metadataHosts(appId: AppId): Promise<readonly string[]> {
    const server = await this.apps.moduleSettings<AuthorizationServerSettings>(appId, AUTHORIZATION_SERVER);
    return server?.metadataHosts ?? [];
  }

  private async resourceServer(appId: AppId, ctx: KoaContext, indicator: string, client: OidcClient) {
    const canonicalForm = canonicalAudience(indicator);
    const settings = settingsOf(client);
    if (canonicalForm === null || !settings.resources.some((each) => canonicalAudience(each) === canonicalForm))
      return null;
    const resource = await this.resources.recent(appId, canonicalForm);
    if (!resource) return null;
    const params = ctx.oidc!.params!;
    const standsForItself = params['grant_type'] === 'client_credentials';
    const isBuiltIn = resource.audience === this.config.baseUrl;
    const maySpend =
      !standsForItself || !isBuiltIn || (await this.policies.bound(appId, client.clientId as OauthClientId));
    const scopes = resource.scopes.filter(
      (scope) => settings.scopes.includes(scope) && (maySpend || !SPENDING_SCOPES.includes(scope)),
    );
    if (standsForItself) {
      const requested = scopeOf(params)
        .split(' ')
        .filter((scope) => scopes.includes(scope));
      params['scope'] = (requested.length > 0 ? requested : scopes).join(' ') || undefined;
    }
    const { audience, tokenSeconds: accessTokenTTL } = resource;
    return { scope: scopes.join(' '), audience, accessTokenTTL, accessTokenFormat: 'jwt' };
  }

  private isSecret(client: OidcClient, secret: string, { req }: KoaContext): boolean {
    const hash = this.tokens.hash(CLIENT_SECRET, secret).toString('hex');
    const { hash: previous, endsAt } = client['previous_secret'] as PreviousSecret;
    if (hash !== client.clientSecret && !(hash === previous && this.clock.now().getTime() < endsAt)) return false;
    this.count(req, client);
    return true;
  }
}

const scopeOf = (params: Readonly<Record<string, unknown>>): string =>
  typeof params['scope'] === 'string' ? params['scope'] : '';

const scopesAsked = (params: Readonly<Record<string, unknown>>): readonly string[] =>
  [...scopeOf(params).split(' '), params[WANTS_OFFLINE] === undefined ? '' : OFFLINE_ACCESS].filter(
    (scope) => scope !== '',
  );

function fitting(asked: readonly string[], resourceServers: readonly { readonly scope?: string }[]): readonly string[] {
  const ofResources = resourceServers.flatMap((server) => server.scope?.split(' ') ?? []);
  const usable = asked.filter((scope) => USER_SCOPES.includes(scope) || ofResources.includes(scope));
  return usable.length > 0 ? usable : ofResources;
}

/** The form in which the library compares audiences; it refuses a text that is none. */
const canonical = (audience: string | null): string | undefined =>
  audience === null ? undefined : (canonicalAudience(audience) ?? audience);

function canonicalize(params: Record<string, unknown>): void {
  const { resource } = params;
  if (typeof resource === 'string') params['resource'] = canonical(resource);
  else if (Array.isArray(resource)) params['resource'] = [...new Set(resource.map(String).map(canonical))];
}

/** The clock of the replica that stored the request may differ; the expiry of the artifact decides. */
function withoutTimes(request: string): string {
  const [header, body] = request.split('.');
  const claims = JSON.parse(Buffer.from(body!, 'base64url').toString()) as Payload;
  const kept = Object.fromEntries(Object.entries(claims).filter(([name]) => !['iat', 'nbf', 'exp'].includes(name)));
  return `${header}.${Buffer.from(JSON.stringify(kept)).toString('base64url')}.`;
}

const revokesAccessToken = (ctx: KoaContext | undefined): boolean =>
  ctx?.oidc?.route === 'revocation' && ctx.oidc.entities.AccessToken !== undefined;

const sizeOf = (params: object): number => Buffer.byteLength(JSON.stringify(params));

/** Verifiers and clients may cache documents: a key is published 15 minutes before it signs. */
const isDocument = ({ path }: { readonly path: string }): boolean => /^\/(\.well-known\/|jwks)/.test(path);

/** Each page may make a row, and no client is authenticated there. */
export const isForBrowsers = ({ path }: { readonly path: string }): boolean => /^\/(auth|logout)/.test(path);

/** The library sets a cookie for a login page of its own. Without https, browsers take no cookie with `samesite=none`. */
function adjustCookies({ res }: KoaContext): void {
  const cookies = [res.getHeader('set-cookie') ?? []].flat().map(String);
  if (cookies.length > 0)
    res.setHeader(
      'set-cookie',
      cookies
        .filter((cookie) => !cookie.startsWith('_interaction=') && !cookie.startsWith('_interaction.sig='))
        .map((cookie) => (cookie.includes('; secure') ? cookie : cookie.replace('samesite=none', 'samesite=lax'))),
    );
}

const isUsedBefore = (failure: unknown): boolean => (failure as { error?: unknown }).error === 'invalid_grant';

function refuse(error: Error): never {
  throw error;
}

function refuseWith(ctx: KoaContext, status: number, error: string, error_description: string): void {
  ctx.status = status;
  ctx.body = { error, error_description };
}

import type { IncomingMessage, RequestListener } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { Client, KoaContext } from 'oidc-provider';
import { Clock } from '../../../kernel/clock.js';
import type { DomainError } from '../../../kernel/domain-error.js';
import { TooManyRequests } from '../../../kernel/errors.js';
import { type AppId, isId } from '../../../kernel/ids.js';
import { RecentlyUsed } from '../../../kernel/recently-used.js';
import { SecretTokens } from '../../../kernel/secret-tokens.js';
import { isDatabaseUnavailable } from '../../../postgres/database-unavailable.js';
import { requireVersion } from '../../../postgres/written-for.js';
import { Config } from '../../../services/config/config.js';
import { SessionFacade } from '../../session/index.js';
import { AccessTokens } from '../domain/access-token.js';
import { issuerOf } from '../domain/authorization-server.js';
import { CLIENT_SECRET, ClientNotFound, type OauthClient, OauthClientRepository } from '../domain/oauth-client.js';
import { canonicalAudience, OauthResourceRepository } from '../domain/oauth-resource.js';
import { library, signingKeysOf } from './library.js';

requireVersion('oidc-provider', '9.13');

/** Each has about 40 KiB and takes 2 ms to make. */
const MOST_PROVIDERS = 500;

/** What the edge does for a call to an endpoint of the protocol. */
export interface EndpointCall {
  /** Counts the call of a client that has proved who it is. Throws `TooManyRequests`. */
  countForClient(clientId: string): void;
  /** Counts a call of anyone else. Throws `TooManyRequests`. */
  countForNetwork(): void;
  /** The cause of a 5xx, for the log. */
  failed(cause: unknown): void;
}

interface Provider {
  readonly etag: string;
  readonly serve: (...call: Parameters<RequestListener>) => Promise<void>;
}

/** The `oidc-provider` of each app, which carries the protocol. It is made when it is needed, and anew when the app's keys change. */
@Injectable()
export class Providers {
  private readonly known = new RecentlyUsed<AppId, Provider>(MOST_PROVIDERS);
  private readonly calls = new WeakMap<IncomingMessage, EndpointCall & { isCounted?: boolean; failure?: unknown }>();

  constructor(
    private readonly sessions: SessionFacade,
    private readonly clients: OauthClientRepository,
    private readonly resources: OauthResourceRepository,
    private readonly accessTokens: AccessTokens,
    private readonly tokens: SecretTokens,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** Serves a request below the issuer, of which `url` is the rest of the path. */
  async serve(appId: AppId, call: EndpointCall, ...[request, response]: Parameters<RequestListener>): Promise<void> {
    this.calls.set(request, call);
    const { serve } = await this.of(appId);
    await serve(request, response);
  }

  private async of(appId: AppId): Promise<Provider> {
    const keys = await this.sessions.tokenKeys(appId);
    const known = this.known.get(appId);
    if (known?.etag === keys.etag) return known;
    const lib = await library();
    const provider = new lib.default(issuerOf(this.config.baseUrl, appId), {
      ...CONFIGURATION,
      adapter: (model: string) => (model === 'Client' ? { find: (id: string) => this.metadata(appId, id) } : NO_ROWS),
      jwks: { keys: signingKeysOf(lib, keys) },
      features: {
        ...FEATURES,
        introspection: { enabled: true, allowedPolicy: () => false },
        revocation: { enabled: true, allowedPolicy: () => false },
        resourceIndicators: {
          enabled: true,
          defaultResource: (ctx: KoaContext, client: Client, several?: string[]) => {
            const resource = several ?? settingsOf(client).defaultResource ?? undefined;
            if (resource === undefined && ctx.oidc?.params?.['grant_type'] === 'client_credentials')
              throw new lib.errors.InvalidTarget('name a resource, because the client has no default_resource');
            return resource;
          },
          getResourceServerInfo: async (ctx: KoaContext, indicator: string, client: Client) =>
            (await this.resourceServer(appId, ctx, indicator, client)) ?? refuse(new lib.errors.InvalidTarget()),
          useGrantedResource: () => true,
        },
      },
    });
    // Its own would take host and protocol from the request.
    const origin = new URL(this.config.baseUrl).origin;
    provider.OIDCContext.prototype.urlFor = (name, options) =>
      new URL(provider.pathFor(name, options as Record<string, string>), origin).href;
    provider.Client.prototype.compareClientSecret = async function (this: Client, secret: string) {
      return isSecret(this, secret);
    };
    const isSecret = (client: Client, secret: string): boolean => this.isSecret(client, secret, lib.default.ctx!);
    provider.silent = true;
    provider.on('server_error', ({ req }, error) => {
      this.calls.get(req)!.failure = error;
    });
    provider.use((ctx, next) => this.respond(appId, ctx, next));
    const made = { etag: keys.etag, serve: provider.callback() };
    this.known.set(appId, made);
    return made;
  }

  private async respond(appId: AppId, ctx: KoaContext, next: () => Promise<void>): Promise<void> {
    const call = this.calls.get(ctx.req)!;
    try {
      await next();
      if (call.failure) throw call.failure as Error;
      const { route } = ctx.oidc ?? {};
      const { error } = (ctx.body ?? {}) as { error?: string };
      if (error === 'unsupported_token_type') await this.answerForJwt(appId, ctx);
      else if (route === 'discovery') await this.completeDiscovery(appId, ctx);
      else if (route === undefined) refuseWith(ctx, 404, 'invalid_request', 'there is no such endpoint');
      if (ctx.method === 'POST' && ctx.status >= 400 && !call.isCounted) call.countForNetwork();
    } catch (failure) {
      if (failure instanceof TooManyRequests) {
        ctx.set('Retry-After', String(failure.retryAfterSeconds));
        return refuseWith(ctx, 429, 'temporarily_unavailable', failure.message);
      }
      call.failed(failure);
      const isAway = isDatabaseUnavailable(failure) || (failure as DomainError).kind === 'unavailable';
      if (isAway) ctx.set('Retry-After', '2');
      refuseWith(ctx, isAway ? 503 : 500, isAway ? 'temporarily_unavailable' : 'server_error', 'try again later');
    }
  }

  /** The library refuses JWTs at both endpoints, after it has authenticated the client. */
  private async answerForJwt(appId: AppId, ctx: KoaContext): Promise<void> {
    const { route, client, params } = ctx.oidc!;
    const claims = await this.accessTokens.read(appId, params!['token']!);
    const isOwn = claims?.client_id === client!.clientId;
    ctx.status = 200;
    if (route === 'revocation') {
      ctx.body = '';
      if (claims && isOwn) await this.accessTokens.revoke(appId, claims);
      else if (claims) refuseWith(ctx, 400, 'invalid_request', 'the token belongs to another client');
      return;
    }
    // Also a resource server reads its tokens: a client that lists its audience.
    const resources = settingsOf(client!).resources.map(canonicalAudience);
    const mayRead = claims && (isOwn || resources.includes(canonicalAudience(claims.aud)));
    ctx.body = mayRead
      ? { active: true, ...claims, iss: issuerOf(this.config.baseUrl, appId), token_type: 'Bearer' }
      : { active: false };
  }

  private async completeDiscovery(appId: AppId, ctx: KoaContext): Promise<void> {
    const { items } = await this.resources.list(appId, { limit: 1_000 });
    const { authorization_endpoint: _, ...body } = ctx.body as Record<string, unknown>;
    ctx.body = { ...body, scopes_supported: [...new Set(items.flatMap(({ scopes }) => scopes))] };
  }

  private async metadata(appId: AppId, id: string): Promise<Record<string, unknown> | undefined> {
    if (!isId('oauthClient', id)) return undefined;
    try {
      return metadataOf(await this.clients.get(appId, id));
    } catch (error) {
      if (error instanceof ClientNotFound) return undefined;
      throw error;
    }
  }

  private async resourceServer(appId: AppId, ctx: KoaContext, indicator: string, client: Client) {
    const canonical = canonicalAudience(indicator);
    const settings = settingsOf(client);
    if (canonical === null || !settings.resources.some((each) => canonicalAudience(each) === canonical)) return null;
    const resource = await this.resources.ofAudience(appId, canonical);
    if (!resource) return null;
    const scopes = resource.scopes.filter((scope) => settings.scopes.includes(scope));
    const params = ctx.oidc!.params!;
    if (params['grant_type'] === 'client_credentials') {
      const requested = params['scope']?.split(' ').filter((scope) => scopes.includes(scope)) ?? [];
      params['scope'] = (requested.length > 0 ? requested : scopes).join(' ') || undefined;
    }
    const { audience, tokenSeconds: accessTokenTTL } = resource;
    return { scope: scopes.join(' '), audience, accessTokenTTL, accessTokenFormat: 'jwt' };
  }

  private isSecret(client: Client, secret: string, { req }: KoaContext): boolean {
    const hash = this.tokens.hash(CLIENT_SECRET, secret).toString('hex');
    const { hash: previous, endsAt } = client['previous_secret'] as PreviousSecret;
    if (hash !== client.clientSecret && !(hash === previous && this.clock.now().getTime() < endsAt)) return false;
    const call = this.calls.get(req)!;
    call.isCounted = true;
    call.countForClient(client.clientId);
    return true;
  }
}

interface PreviousSecret {
  readonly hash: string | null;
  readonly endsAt: number;
}

function metadataOf({ id, name, settings, ...secrets }: OauthClient): Record<string, unknown> {
  return {
    client_id: id,
    client_name: name,
    // A keyed hash: two of them are compared as text, because who cannot compute the key learns nothing from the time that it takes.
    client_secret: secrets.secretHash?.toString('hex'),
    previous_secret: {
      hash: secrets.previousSecretHash?.toString('hex') ?? null,
      endsAt: secrets.previousSecretEndsAt?.getTime() ?? 0,
    } satisfies PreviousSecret,
    token_endpoint_auth_method: 'client_secret_basic',
    grant_types: [...settings.grantTypes],
    response_types: [],
    redirect_uris: [],
    settings,
  };
}

const settingsOf = (client: Client) => client['settings'] as OauthClient['settings'];

function refuse(error: Error): never {
  throw error;
}

function refuseWith(ctx: KoaContext, status: number, error: string, error_description: string): void {
  ctx.status = status;
  ctx.body = { error, error_description };
}

/** Client credentials store nothing. */
const NO_ROWS = { find: async () => undefined, findByUid: async () => undefined };

const off = { enabled: false };

const FEATURES = {
  claimsParameter: off,
  clientCredentials: { enabled: true },
  devInteractions: off,
  dPoP: off,
  externalSigningSupport: { enabled: true, ack: 'experimental-01' },
  pushedAuthorizationRequests: off,
  requestObjects: off,
  rpInitiatedLogout: off,
  userinfo: off,
};

const CONFIGURATION = {
  clientAuthMethods: ['client_secret_basic', 'client_secret_post'],
  clientBasedCORS: () => false,
  // A tolerance would add to the life of every token.
  clockTolerance: 0,
  cookies: { keys: ['no cookie is set'] },
  extraClientMetadata: { properties: ['previous_secret', 'settings'] },
  findAccount: () => undefined,
  responseTypes: [],
  routes: { introspection: '/introspect', revocation: '/revoke' },
  scopes: [],
  ttl: {
    ClientCredentials(_ctx: unknown, token: { resourceServer: { accessTokenTTL: number } }): number {
      return token.resourceServer.accessTokenTTL;
    },
  },
};

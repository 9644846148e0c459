import { Injectable } from '@nestjs/common';
import { type AuthorizationServer, customFetch, discoveryRequest, processDiscoveryResponse } from 'oauth4webapi';
import { Clock } from '../../../kernel/clock.js';
import { RecentlyUsed } from '../../../kernel/recently-used.js';
import { ProviderRejected } from '../domain/oauth.errors.js';
import { conform, OVER_HTTP, ProviderHttp } from './provider-http.js';
import type { ClientAuthentication, ProviderEndpoints } from './providers.js';

const DISCOVERY_LIVES_MS = 3_600_000;
const MOST_REMEMBERED = 1_000;

/** The endpoints and key addresses that OpenID providers publish. They are cached. */
@Injectable()
export class OpenidMetadata {
  private readonly discovered = new RecentlyUsed<
    string,
    { readonly endpoints: Promise<ProviderEndpoints>; readonly until: number }
  >(MOST_REMEMBERED);
  private readonly keySets = new RecentlyUsed<string, AuthorizationServer>(MOST_REMEMBERED);

  constructor(
    private readonly http: ProviderHttp,
    private readonly clock: Clock,
  ) {}

  /** OpenID Connect Discovery 1.0. Concurrent callers share one request; a failure is not remembered. */
  async endpoints(issuer: string): Promise<ProviderEndpoints> {
    const now = this.clock.now().getTime();
    const known = this.discovered.get(issuer);
    if (known && known.until > now) return known.endpoints;
    const endpoints = this.discover(issuer);
    this.discovered.set(issuer, { endpoints, until: now + DISCOVERY_LIVES_MS });
    endpoints.catch(() => this.discovered.delete(issuer));
    return endpoints;
  }

  endpointsNow(issuer: string): Promise<ProviderEndpoints> {
    this.discovered.delete(issuer);
    return this.endpoints(issuer);
  }

  /** oauth4webapi keeps keys by the identity of this object for 5 minutes, and looks for an unknown key at most once a minute. */
  keySet(jwks: string): AuthorizationServer {
    const known = this.keySets.get(jwks);
    if (known) return known;
    const keySet = { issuer: jwks, jwks_uri: jwks };
    this.keySets.set(jwks, keySet);
    return keySet;
  }

  private async discover(issuer: string): Promise<ProviderEndpoints> {
    const document = await conform('discovery document', async () => {
      const options = { ...OVER_HTTP, [customFetch]: this.http.fetch };
      const response = await discoveryRequest(new URL(issuer), options);
      // Operators easily lose or add a slash at the end of the URL. Nothing else may differ.
      return processDiscoveryResponse(new URL(issuer), response.clone()).catch(() =>
        processDiscoveryResponse(new URL(issuer.endsWith('/') ? issuer.slice(0, -1) : `${issuer}/`), response),
      );
    });
    const address = async (name: keyof AuthorizationServer): Promise<string> => {
      const value = document[name];
      if (typeof value !== 'string') throw new ProviderRejected(`the discovery document has no ${name}`);
      await this.http.assertCallable(value);
      return value;
    };
    return {
      authorization: await address('authorization_endpoint'),
      token: await address('token_endpoint'),
      ...(document.userinfo_endpoint && { profile: await address('userinfo_endpoint') }),
      clientAuthentication: clientAuthentication(document.token_endpoint_auth_methods_supported),
      ...(isFilled(document.code_challenge_methods_supported) && {
        pkceMethods: document.code_challenge_methods_supported,
      }),
      openid: {
        issuer: document.issuer,
        jwks: await address('jwks_uri'),
        sendsIssuer: document.authorization_response_iss_parameter_supported === true,
      },
    };
  }
}

function isFilled(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

function clientAuthentication(supported: unknown): ClientAuthentication[] {
  // OpenID Connect Discovery 1.0, section 3: the default where the document has no list.
  if (!Array.isArray(supported)) return ['client_secret_basic'];
  const ours: ClientAuthentication[] = ['client_secret_basic', 'client_secret_post'];
  const usable = ours.filter((method) => supported.includes(method));
  if (usable.length === 0) throw new ProviderRejected('the provider accepts no client secret');
  return usable;
}

import { Injectable } from '@nestjs/common';
import { createRemoteJWKSet, customFetch, type RemoteJWKSet } from 'jose';
import { Clock } from '../../../kernel/clock.js';
import { ProviderRejected } from '../domain/oauth.errors.js';
import { jsonObject, ProviderHttp } from './provider-http.js';
import type { ClientAuthentication, ProviderEndpoints } from './providers.js';

const DISCOVERY_LIVES_MS = 3_600_000;
const MOST_REMEMBERED = 1_000;

/** What OpenID providers publish about themselves: endpoints by discovery, and the keys they sign with. Remembered for a while. */
@Injectable()
export class OpenidMetadata {
  private readonly discovered = new Map<
    string,
    { readonly endpoints: Promise<ProviderEndpoints>; readonly until: number }
  >();
  private readonly keySets = new Map<string, RemoteJWKSet>();

  constructor(
    private readonly http: ProviderHttp,
    private readonly clock: Clock,
  ) {}

  /** The endpoints the issuer publishes (OpenID Connect Discovery 1.0). Callers at the same time share one request; a failure is not remembered. */
  async endpoints(issuer: string): Promise<ProviderEndpoints> {
    const now = this.clock.now().getTime();
    const known = this.discovered.get(issuer);
    if (known && known.until > now) return known.endpoints;
    const endpoints = this.discover(issuer);
    remember(this.discovered, issuer, { endpoints, until: now + DISCOVERY_LIVES_MS });
    endpoints.catch(() => this.discovered.delete(issuer));
    return endpoints;
  }

  /** The keys at this address, fetched when needed and again when a token names one that is not among them. */
  keys(url: string): RemoteJWKSet {
    let keys = this.keySets.get(url);
    if (!keys) {
      keys = createRemoteJWKSet(new URL(url), {
        [customFetch]: async (address) => {
          const { status, body } = await this.http.send(address);
          // A body beside a status that has none (204, 304) would be a fault of ours.
          return new Response(status === 200 ? body : null, { status });
        },
      });
      remember(this.keySets, url, keys);
    }
    return keys;
  }

  private async discover(issuer: string): Promise<ProviderEndpoints> {
    const url = `${withoutSlash(issuer)}/.well-known/openid-configuration`;
    const document = jsonObject(await this.http.get(url), 'the discovery document');
    // Section 4.3. Only a slash at the end may differ: it is lost or gained when an operator types the URL.
    if (typeof document['issuer'] !== 'string' || withoutSlash(document['issuer']) !== withoutSlash(issuer)) {
      throw new ProviderRejected('the discovery document names another issuer');
    }
    const address = async (name: string): Promise<string> => {
      const value = document[name];
      if (typeof value !== 'string') throw new ProviderRejected(`the discovery document has no ${name}`);
      await this.http.assertCallable(value);
      return value;
    };
    return {
      authorization: await address('authorization_endpoint'),
      token: await address('token_endpoint'),
      ...(document['userinfo_endpoint'] !== undefined && { profile: await address('userinfo_endpoint') }),
      clientAuthentication: clientAuthentication(document['token_endpoint_auth_methods_supported']),
      openid: {
        issuer: document['issuer'],
        jwks: await address('jwks_uri'),
        sendsIssuer: document['authorization_response_iss_parameter_supported'] === true,
      },
    };
  }
}

function clientAuthentication(supported: unknown): ClientAuthentication[] {
  // Section 3: what a document that says nothing means.
  if (!Array.isArray(supported)) return ['client_secret_basic'];
  const ours: ClientAuthentication[] = ['client_secret_basic', 'client_secret_post'];
  const usable = ours.filter((method) => supported.includes(method));
  if (usable.length === 0) throw new ProviderRejected('the provider takes no client secret');
  return usable;
}

function withoutSlash(url: string): string {
  return url.endsWith('/') ? url.slice(0, -1) : url;
}

/** Operators enter issuers, so their number is theirs to choose; the memory for them is not. */
function remember<V>(memory: Map<string, V>, key: string, value: V): void {
  memory.delete(key);
  memory.set(key, value);
  const [oldest] = memory.keys();
  if (memory.size > MOST_REMEMBERED && oldest !== undefined) memory.delete(oldest);
}

import { Injectable } from '@nestjs/common';
import { importPKCS8 } from 'jose';
import { Clock } from '../../../kernel/clock.js';
import type { OutboundResponse } from '../../../services/outbound/outbound.js';
import {
  CHECK_NAMES,
  type CheckName,
  type ConnectionCheck,
  ConnectionTest,
  type TestedConnection,
} from '../domain/connection-test.js';
import type { ProviderConnection } from '../domain/identity-provider.js';
import { ProviderRejected, ProviderUnavailable } from '../domain/oauth.errors.js';
import { OpenidMetadata } from './openid-metadata.js';
import { jsonObject, jsonOf, ProviderHttp } from './provider-http.js';
import { OPENID, type ProviderEndpoints, PROVIDERS } from './providers.js';

const CLOCK_TOLERANCE_SECONDS = 60;

@Injectable()
export class OutboundConnectionTest extends ConnectionTest {
  constructor(
    private readonly http: ProviderHttp,
    private readonly metadata: OpenidMetadata,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async run(connection: TestedConnection): Promise<ConnectionCheck[]> {
    const checks = [await checked('credentials', () => this.credentials(connection))];
    let endpoints: ProviderEndpoints | undefined;
    checks.push(
      await checked('discovery', async () => {
        endpoints = await this.endpointsOf(connection);
        return connection.issuer === null
          ? 'The endpoints of this provider are built in.'
          : `The provider publishes its endpoints: ${endpoints.authorization} and ${endpoints.token}.`;
      }),
    );
    if (!endpoints) return [...checks, ...CHECK_NAMES.slice(2).map(skipped)];
    const { token, openid } = endpoints;
    let answer: OutboundResponse | undefined;
    const fetch = async (url: string): Promise<OutboundResponse> =>
      (answer = await this.http.send(url, { appId: connection.appId }));
    checks.push(await checked('keys', async () => (openid ? keysIn(openid.jwks, await fetch(openid.jwks)) : NO_KEYS)));
    checks.push(await checked('clock', async () => this.clockOf(answer ?? (await fetch(token)))));
    checks.push(await checked('pkce', async () => pkceOf(connection, endpoints!)));
    checks.push(await checked('userinfo', async () => userinfoOf(connection, endpoints!)));
    return checks;
  }

  private async endpointsOf({ issuer, provider }: ProviderConnection): Promise<ProviderEndpoints> {
    if (issuer !== null) return this.metadata.endpointsNow(issuer);
    const endpoints = Object.hasOwn(PROVIDERS, provider) ? PROVIDERS[provider]!.endpoints : OPENID.endpoints;
    if (!endpoints) throw new ProviderRejected('the connection names no issuer');
    return endpoints;
  }

  private async credentials({
    provider,
    clientSecret,
    teamId,
    keyId,
    privateKey,
  }: ProviderConnection): Promise<string> {
    const signs = Object.hasOwn(PROVIDERS, provider) && PROVIDERS[provider]!.signsClientSecret === true;
    if (!signs)
      return clientSecret === null
        ? 'The connection has a client id and no client secret: the provider must permit public clients.'
        : 'The connection has a client id and a client secret. Only a login shows whether the provider accepts them.';
    if (!teamId || !keyId || !privateKey)
      throw new ProviderRejected('the connection lacks team_id, key_id or private_key');
    await importPKCS8(privateKey, 'ES256').catch(() => {
      throw new ProviderRejected('the private_key of the connection cannot sign ES256');
    });
    return 'The connection has a key that signs. Only a login shows whether the provider accepts it.';
  }

  private clockOf({ headers }: OutboundResponse): string {
    const theirs = Date.parse(headers.date ?? '');
    if (Number.isNaN(theirs)) throw new ProviderRejected('the provider sends no Date header to compare with');
    const seconds = Math.round((theirs - this.clock.now().getTime()) / 1000);
    const difference = `${Math.abs(seconds)} s ${seconds < 0 ? 'behind' : 'ahead of'} the clock of this service`;
    if (Math.abs(seconds) > CLOCK_TOLERANCE_SECONDS)
      throw new ProviderRejected(`the clock of the provider is ${difference}, which makes its id_tokens invalid`);
    return `The clock of the provider is ${difference}.`;
  }
}

const NO_KEYS = 'The provider sends no id_tokens, so it needs no keys.';

function keysIn(url: string, response: OutboundResponse): string {
  const { keys } = jsonObject(jsonOf(url, response), 'the key set');
  const usable = (Array.isArray(keys) ? (keys as unknown[]) : []).filter((key) => {
    const { kty, use } = (key ?? {}) as { readonly kty?: unknown; readonly use?: unknown };
    return ['RSA', 'EC', 'OKP'].includes(kty as string) && (use === undefined || use === 'sig');
  });
  if (usable.length === 0) throw new ProviderRejected('the key set has no public key that signs');
  return `The key set has ${usable.length} public ${usable.length === 1 ? 'key' : 'keys'} that can sign.`;
}

function pkceOf({ sendsPkce }: ProviderConnection, { pkceMethods }: ProviderEndpoints): string {
  if (!sendsPkce) return 'Logins send no PKCE, so each begins with redirect=true or a code_challenge of the app.';
  if (pkceMethods === undefined) return 'Logins send PKCE (S256). A provider that refuses it needs pkce=false.';
  if (!pkceMethods.includes('S256'))
    throw new ProviderRejected('the provider does not announce S256 among its PKCE methods, and pkce is true');
  return 'Logins send PKCE (S256), which the provider announces.';
}

function userinfoOf({ userinfo }: TestedConnection, { openid, profile }: ProviderEndpoints): string {
  if (!openid) return 'The profile of this provider is required, because it sends no id_token.';
  if (profile === undefined) return 'The provider has no userinfo endpoint: the id_token describes its users.';
  return userinfo === 'optional'
    ? 'The id_token suffices for every user while the userinfo endpoint denies its answer.'
    : 'The id_token of a new user must contain the email while the userinfo endpoint denies its answer.';
}

function skipped(name: CheckName): ConnectionCheck {
  return { name, ok: false, detail: 'Not checked, because the endpoints are unknown.' };
}

async function checked(name: CheckName, check: () => Promise<string>): Promise<ConnectionCheck> {
  try {
    return { name, ok: true, detail: await check() };
  } catch (error) {
    if (!(error instanceof ProviderRejected || error instanceof ProviderUnavailable)) throw error;
    const { reason } = error;
    return { name, ok: false, detail: `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.` };
  }
}

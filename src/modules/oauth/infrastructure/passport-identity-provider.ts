import { Inject, Injectable } from '@nestjs/common';
import { importPKCS8, SignJWT } from 'jose';
import { Clock } from '../../../kernel/clock.js';
import { Log } from '../../../kernel/log.js';
import { Config } from '../../../services/config/config.js';
import {
  type AuthorizationBinding,
  type AuthorizationRequest,
  type AuthorizationResponse,
  IdentityProvider,
  type ProviderConnection,
  type ProviderLogin,
} from '../domain/identity-provider.js';
import { ProviderRejected, ProviderUnavailable } from '../domain/oauth.errors.js';
import { OpenidChecks } from './openid-checks.js';
import { OpenidMetadata } from './openid-metadata.js';
import { ProviderHttp } from './provider-http.js';
import { ProviderStrategy } from './provider-strategy.js';
import { OPENID, type Provider, type ProviderEndpoints, PROVIDERS } from './providers.js';

const SIGNED_SECRET_LIVES_MS = 300_000;

@Injectable()
export class PassportIdentityProvider extends IdentityProvider {
  protected readonly providers: Readonly<Record<string, Provider>> = PROVIDERS;

  constructor(
    private readonly http: ProviderHttp,
    private readonly metadata: OpenidMetadata,
    private readonly clock: Clock,
    @Inject(Config) private readonly config: Pick<Config, 'baseUrl'>,
    @Inject(Log) private readonly log: Pick<Log, 'warn'>,
  ) {
    super();
  }

  override isBuiltIn(provider: string): boolean {
    return Object.hasOwn(this.providers, provider);
  }

  override begin(connection: ProviderConnection, binding: AuthorizationBinding): Promise<AuthorizationRequest> {
    return this.logged(connection, async () => {
      const endpoints = await this.endpointsOf(connection);
      return this.strategyOf(connection, endpoints, null).begin(binding);
    });
  }

  override complete(
    connection: ProviderConnection,
    response: AuthorizationResponse,
    sent: { readonly nonce: string; readonly codeVerifier: string },
  ): Promise<ProviderLogin> {
    return this.logged(connection, async () => {
      const endpoints = await this.endpointsOf(connection);
      const secret = this.providerOf(connection).signsClientSecret
        ? await signedSecret(connection, endpoints.openid?.issuer ?? endpoints.token, this.clock.now())
        : connection.clientSecret;
      return this.strategyOf(connection, endpoints, secret).complete(response, sent);
    });
  }

  private providerOf({ provider }: ProviderConnection): Provider {
    return this.isBuiltIn(provider) ? this.providers[provider]! : OPENID;
  }

  private async endpointsOf(connection: ProviderConnection): Promise<ProviderEndpoints> {
    const { issuer } = connection;
    const endpoints = issuer === null ? this.providerOf(connection).endpoints : await this.metadata.endpoints(issuer);
    if (!endpoints) throw new ProviderRejected('the connection names no issuer');
    return endpoints;
  }

  private strategyOf(
    connection: ProviderConnection,
    endpoints: ProviderEndpoints,
    secret: string | null,
  ): ProviderStrategy {
    const checks = new OpenidChecks(this.http, this.metadata, endpoints, connection);
    // One per connection: a response of one provider cannot reach the connection of another.
    const callbackUrl = this.config.baseUrl + (connection.callbackPath ?? `/v1/auth/oauth/callback/${connection.id}`);
    return new ProviderStrategy(
      this.providerOf(connection),
      endpoints,
      connection,
      secret,
      callbackUrl,
      checks,
      this.http,
    );
  }

  /** The user learns only that the login failed; the reason is for the operator. */
  private async logged<T>({ appId, id, provider }: ProviderConnection, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ProviderRejected || error instanceof ProviderUnavailable) {
        const { code, reason } = error;
        this.log.warn({ app_id: appId, connection_id: id, provider, error_type: code, reason }, 'identity provider');
      }
      throw error;
    }
  }
}

/** Apple's client secret is a JWT signed with the team's key. */
async function signedSecret(
  { clientId, teamId, keyId, privateKey }: ProviderConnection,
  audience: string,
  now: Date,
): Promise<string> {
  if (!teamId || !keyId || !privateKey)
    throw new ProviderRejected('the connection lacks team_id, key_id or private_key');
  try {
    return await new SignJWT({ iss: teamId, sub: clientId, aud: audience })
      .setProtectedHeader({ alg: 'ES256', kid: keyId })
      .setIssuedAt(now)
      .setExpirationTime(new Date(now.getTime() + SIGNED_SECRET_LIVES_MS))
      .sign(await importPKCS8(privateKey, 'ES256'));
  } catch {
    throw new ProviderRejected('the private_key of the connection cannot sign ES256');
  }
}

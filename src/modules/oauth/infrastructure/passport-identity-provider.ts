import { Inject, Injectable } from '@nestjs/common';
import { importPKCS8, SignJWT } from 'jose';
import { type ClientAuth, ClientSecretPost, None } from 'oauth4webapi';
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
import { OpenidMetadata } from './openid-metadata.js';
import { ProviderClient } from './provider-client.js';
import { ProviderHttp } from './provider-http.js';
import { loginFrom } from './provider-profile.js';
import { ProviderStrategy } from './provider-strategy.js';
import { type ClientAuthentication, OPENID, type Provider, PROVIDERS } from './providers.js';

const SIGNED_SECRET_LIVES_MS = 300_000;

/** Identity providers through Passport, one strategy per login. */
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

  override begin(
    connection: ProviderConnection,
    { state, nonce }: AuthorizationBinding,
  ): Promise<AuthorizationRequest> {
    return this.logged(connection, async () => {
      const client = await this.clientOf(connection);
      const { authorizationParameters, scopes } = this.providerOf(connection);
      const callbackUrl = this.callbackUrl(connection);
      const strategy = new ProviderStrategy(client.endpoints, connection.clientId, scopes, callbackUrl);
      const { url, codeVerifier } = await strategy.authorize({
        ...authorizationParameters,
        ...(client.endpoints.openid && { nonce }),
        state,
      });
      return { url, codeVerifier, postsBack: authorizationParameters?.['response_mode'] === 'form_post' };
    });
  }

  override complete(
    connection: ProviderConnection,
    response: AuthorizationResponse,
    sent: { readonly nonce: string; readonly codeVerifier: string },
  ): Promise<ProviderLogin> {
    return this.logged(connection, async () => {
      const client = await this.clientOf(connection);
      const code = client.codeOf(response);
      const secret = await this.secretOf(connection, client);
      const authentications = client.endpoints.clientAuthentication.map((method) => authentication(method, secret));
      const form = { code, redirect_uri: this.callbackUrl(connection), code_verifier: sent.codeVerifier };
      const tokens = await client.tokens(form, sent.nonce, authentications);
      const { accessToken, refreshToken, idToken } = tokens;
      const statements = await client.statements(tokens);
      const { fields } = this.providerOf(connection);
      return {
        ...loginFrom({ ...statements, idToken, fields, firstPost: response.user }),
        accessToken,
        refreshToken,
      };
    });
  }

  private providerOf({ provider }: ProviderConnection): Provider {
    return this.isBuiltIn(provider) ? this.providers[provider]! : OPENID;
  }

  private async clientOf(connection: ProviderConnection): Promise<ProviderClient> {
    const { issuer } = connection;
    const endpoints = issuer === null ? this.providerOf(connection).endpoints : await this.metadata.endpoints(issuer);
    if (!endpoints) throw new ProviderRejected('the connection names no issuer');
    return new ProviderClient(this.http, this.metadata, endpoints, connection);
  }

  /** One per connection: an answer of one provider cannot reach the connection of another. */
  private callbackUrl({ id }: ProviderConnection): string {
    return `${this.config.baseUrl}/v1/auth/oauth/callback/${id}`;
  }

  private async secretOf(connection: ProviderConnection, { endpoints }: ProviderClient): Promise<string | null> {
    if (!this.providerOf(connection).signsClientSecret) return connection.clientSecret;
    return signedSecret(connection, endpoints.openid?.issuer ?? endpoints.token, this.clock.now());
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

/** Proves to the token endpoint which client asks (RFC 6749, section 2.3.1). Without a secret only PKCE does. */
function authentication(method: ClientAuthentication, secret: string | null): ClientAuth {
  if (secret === null) return None();
  return method === 'client_secret_basic' ? basic(secret) : ClientSecretPost(secret);
}

// The library's own encodes `-`, `.` and `_` too, and providers that do not decode the header then see another client id.
function basic(secret: string): ClientAuth {
  return (_server, { client_id: clientId }, _body, headers) => {
    const credentials = Buffer.from(`${formEncoded(clientId)}:${formEncoded(secret)}`).toString('base64');
    headers.set('authorization', `Basic ${credentials}`);
  };
}

function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}

/** Apple's client secret: a JWT signed with the team's key. */
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

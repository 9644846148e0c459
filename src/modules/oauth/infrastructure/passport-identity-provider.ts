import { Inject, Injectable } from '@nestjs/common';
import { importPKCS8, SignJWT } from 'jose';
import { Clock } from '../../../kernel/clock.js';
import { Config } from '../../../services/config/config.js';
import { Log } from '../../../kernel/log.js';
import {
  type AuthorizationBinding,
  type AuthorizationRequest,
  type AuthorizationResponse,
  IdentityProvider,
  type ProviderConnection,
  type ProviderLogin,
} from '../domain/identity-provider.js';
import { AccessDenied, ProviderRejected, ProviderUnavailable } from '../domain/oauth.errors.js';
import { CodeFlow } from './code-flow.js';
import { type TokenExpectation, verifyIdToken } from './id-token.js';
import { OpenidMetadata } from './openid-metadata.js';
import { loginFrom } from './provider-profile.js';
import { type Json, jsonObject, ProviderHttp } from './provider-http.js';
import { type ClientAuthentication, OPENID, type Provider, type ProviderEndpoints, PROVIDERS } from './providers.js';
import { Userinfo } from './userinfo.js';

const SIGNED_SECRET_LIVES_MS = 300_000;

/** A provider as one connection reaches it. */
interface Reached extends Provider {
  readonly endpoints: ProviderEndpoints;
}

/**
 * passport-oauth2 builds the authorization URL with its PKCE pair and exchanges the code. All around it is ours: a
 * strategy is made per call, since connections are rows; every request goes through the bounded client; id_tokens,
 * which it does not know, are verified here.
 */
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
      const provider = await this.reach(connection);
      const parameters = { ...provider.authorizationParameters, ...(provider.endpoints.openid && { nonce }) };
      const { url, codeVerifier } = await this.flow(provider, connection).authorize(state, parameters);
      const postsBack = provider.authorizationParameters?.['response_mode'] === 'form_post';
      return { url, codeVerifier, postsBack };
    });
  }

  override complete(
    connection: ProviderConnection,
    response: AuthorizationResponse,
    sent: { readonly nonce: string; readonly codeVerifier: string },
  ): Promise<ProviderLogin> {
    return this.logged(connection, async () => {
      const provider = await this.reach(connection);
      const { endpoints, fields } = provider;
      const code = codeFrom(response, endpoints);
      const secret = provider.signsClientSecret
        ? await this.signedSecret(connection, endpoints)
        : connection.clientSecret;
      const exchange = (form: URLSearchParams) => this.exchange(endpoints, form, connection, secret);
      const tokens = await this.flow(provider, connection).redeem(code, sent.codeVerifier, exchange);
      const { accessToken, refreshToken, idToken: jwt } = tokens;
      const expected = endpoints.openid && this.expectation(endpoints.openid, connection);
      if (expected && jwt === undefined) throw new ProviderRejected('the token response has no id_token');
      const idToken = expected && (await verifyIdToken(jwt!, { ...expected, nonce: sent.nonce }));
      const userinfo = new Userinfo(this.http, connection.appId, accessToken);
      const profile = await userinfo.profile(endpoints, idToken, expected);
      const emails = await userinfo.emails(endpoints);
      const login = loginFrom({ fields, idToken, profile, emails, firstPost: response.user });
      return { ...login, accessToken, refreshToken };
    });
  }

  private flow(provider: Reached, { id, clientId }: ProviderConnection): CodeFlow {
    // One callback per connection, so what was meant for another connection's provider never gets to this one.
    return new CodeFlow(provider, clientId, `${this.config.baseUrl}/v1/auth/oauth/callback/${id}`);
  }

  /** The user is told that it failed; why is for the operator, who alone can mend it. */
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

  private async reach(connection: ProviderConnection): Promise<Reached> {
    const provider = this.isBuiltIn(connection.provider) ? this.providers[connection.provider]! : OPENID;
    const endpoints =
      connection.issuer === null ? provider.endpoints : await this.metadata.endpoints(connection.issuer);
    if (!endpoints) throw new ProviderRejected('the connection names no issuer');
    return { ...provider, endpoints };
  }

  /** The token request. Client authentication is tried in turn, as no document says how this very client was registered. */
  private async exchange(
    endpoints: ProviderEndpoints,
    form: URLSearchParams,
    { appId, clientId }: ProviderConnection,
    secret: string | null,
  ): Promise<Json> {
    let answer: { status: number; body: Json } = { status: 0, body: {} };
    for (const method of endpoints.clientAuthentication) {
      const { headers, body } = authenticated(form, method, clientId, secret);
      const request = { method: 'POST', headers, body: body.toString(), appId } as const;
      const response = await this.http.send(endpoints.token, request);
      answer = { status: response.status, body: jsonObject(parsed(response.body), 'the token response') };
      // The client is looked at before the code, so the code is still good.
      if (answer.body['error'] !== 'invalid_client') break;
    }
    const { status, body } = answer;
    // Some providers answer errors with 200.
    if (status !== 200 || body['error'] !== undefined) {
      throw new ProviderRejected(`the token endpoint answered ${status} ${errorCode(body['error'])}`);
    }
    const { access_token: accessToken, token_type: type } = body;
    if (
      typeof accessToken !== 'string' ||
      accessToken === '' ||
      (typeof type === 'string' && type.toLowerCase() !== 'bearer')
    ) {
      throw new ProviderRejected('the token response has no bearer token');
    }
    return body;
  }

  private expectation(
    { issuer, issuerAlias, jwks }: NonNullable<ProviderEndpoints['openid']>,
    { clientId }: ProviderConnection,
  ): TokenExpectation {
    return { keys: this.metadata.keys(jwks), issuer, issuerAlias, clientId, now: this.clock.now() };
  }

  private async signedSecret(
    { clientId, teamId, keyId, privateKey }: ProviderConnection,
    { openid }: ProviderEndpoints,
  ): Promise<string> {
    if (!teamId || !keyId || !privateKey || !openid)
      throw new ProviderRejected('the connection lacks team_id, key_id or private_key');
    try {
      const now = this.clock.now();
      return await new SignJWT({ iss: teamId, sub: clientId, aud: openid.issuer })
        .setProtectedHeader({ alg: 'ES256', kid: keyId })
        .setIssuedAt(now)
        .setExpirationTime(new Date(now.getTime() + SIGNED_SECRET_LIVES_MS))
        .sign(await importPKCS8(privateKey, 'ES256'));
    } catch {
      throw new ProviderRejected('the private_key of the connection cannot sign ES256');
    }
  }
}

/** The code of an answer that is one, from this provider. */
function codeFrom({ code, error, iss }: AuthorizationResponse, { openid }: ProviderEndpoints): string {
  // RFC 9207: an answer that says it is from another provider, or does not say from whom where it should, was mixed up.
  if (
    openid &&
    !openid.issuer.includes('{tenantid}') &&
    (iss === undefined ? openid.sendsIssuer : iss !== openid.issuer)
  ) {
    throw new ProviderRejected('the answer is from another provider');
  }
  if (error === 'access_denied' || error === 'user_cancelled_authorize') throw new AccessDenied();
  if (error !== undefined) throw new ProviderRejected(`the authorization endpoint answered ${errorCode(error)}`);
  if (code === undefined) throw new ProviderRejected('the authorization endpoint answered without a code');
  return code;
}

/** The form and headers of a token request (RFC 6749, section 2.3.1). */
function authenticated(form: URLSearchParams, method: ClientAuthentication, clientId: string, secret: string | null) {
  const body = new URLSearchParams(form);
  const headers: Record<string, string> = { 'Content-Type': 'application/x-www-form-urlencoded' };
  body.delete('client_secret');
  if (secret !== null && method === 'client_secret_basic') {
    body.delete('client_id');
    headers['Authorization'] =
      `Basic ${Buffer.from(`${formEncoded(clientId)}:${formEncoded(secret)}`).toString('base64')}`;
  } else if (secret !== null) {
    body.set('client_secret', secret);
  }
  return { headers, body };
}

function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** An OAuth error code for the log; anything else may be text of an attacker's. */
function errorCode(value: unknown): string {
  return typeof value === 'string' && /^[a-z0-9_.-]{1,64}$/i.test(value) ? value : 'an error without a code';
}

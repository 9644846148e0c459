import { Injectable } from '@nestjs/common';
import { importPKCS8, SignJWT } from 'jose';
import { Clock } from '../../../kernel/clock.js';
import {
  type AuthorizationBinding,
  type AuthorizationRequest,
  type AuthorizationResponse,
  IdentityProvider,
  type ProviderConnection,
  type ProviderLogin,
} from '../domain/identity-provider.js';
import { AccessDenied, ProviderRejected } from '../domain/oauth.errors.js';
import { CodeFlow, type TokenResponse } from './code-flow.js';
import { verifyIdToken } from './id-token.js';
import { OpenidMetadata } from './openid-metadata.js';
import { loginFrom } from './provider-profile.js';
import { type Json, jsonObject, ProviderHttp } from './provider-http.js';
import { type ClientAuthentication, OPENID, type Provider, type ProviderEndpoints, PROVIDERS } from './providers.js';

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
  ) {
    super();
  }

  override isBuiltIn(provider: string): boolean {
    return Object.hasOwn(this.providers, provider);
  }

  override async begin(
    connection: ProviderConnection,
    { callbackUrl, state, nonce }: AuthorizationBinding,
  ): Promise<AuthorizationRequest> {
    const provider = await this.reach(connection);
    const parameters = { ...provider.authorizationParameters, ...(provider.endpoints.openid && { nonce }) };
    const flow = new CodeFlow(provider, connection.clientId, { callbackUrl, state, parameters });
    const url = await flow.run<string>({});
    return {
      url,
      codeVerifier: flow.codeVerifier,
      postsBack: provider.authorizationParameters?.['response_mode'] === 'form_post',
    };
  }

  override async complete(
    connection: ProviderConnection,
    response: AuthorizationResponse,
    sent: { readonly callbackUrl: string; readonly nonce: string; readonly codeVerifier: string },
  ): Promise<ProviderLogin> {
    const provider = await this.reach(connection);
    const { endpoints } = provider;
    assertSentBy(endpoints, response);
    if (response.error === 'access_denied' || response.error === 'user_cancelled_authorize') throw new AccessDenied();
    if (response.error !== undefined)
      throw new ProviderRejected(`the authorization endpoint answered ${errorCode(response.error)}`);
    if (response.code === undefined) throw new ProviderRejected('the authorization endpoint answered without a code');

    const secret = provider.signsClientSecret
      ? await this.signedSecret(connection, endpoints)
      : connection.clientSecret;
    const flow = new CodeFlow(provider, connection.clientId, {
      callbackUrl: sent.callbackUrl,
      codeVerifier: sent.codeVerifier,
      exchange: (form) => this.exchange(endpoints, form, connection.clientId, secret),
    });
    const tokens = await flow.run<TokenResponse>({ code: response.code });

    const idToken = endpoints.openid && (await this.idToken(endpoints.openid, connection, tokens, sent.nonce));
    const ask = async (url?: string): Promise<unknown> =>
      url === undefined ? undefined : this.http.get(url, { Authorization: `Bearer ${tokens.accessToken}` });
    const profile = await ask(endpoints.profile);
    const emails = await ask(endpoints.emails);
    return {
      ...loginFrom({ fields: provider.fields, idToken, profile, emails, firstPost: response.user }),
      accessToken: tokens.accessToken,
      refreshToken: tokens.refreshToken,
    };
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
    clientId: string,
    secret: string | null,
  ): Promise<Json> {
    let answer: { status: number; body: Json } = { status: 0, body: {} };
    for (const method of endpoints.clientAuthentication) {
      const { headers, body } = authenticated(form, method, clientId, secret);
      const response = await this.http.send(endpoints.token, { method: 'POST', headers, body: body.toString() });
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

  private async idToken(
    { issuer, jwks }: NonNullable<ProviderEndpoints['openid']>,
    { clientId }: ProviderConnection,
    { idToken }: TokenResponse,
    nonce: string,
  ) {
    if (idToken === undefined) throw new ProviderRejected('the token response has no id_token');
    return verifyIdToken(idToken, { keys: this.metadata.keys(jwks), issuer, clientId, nonce, now: this.clock.now() });
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

/** RFC 9207: an answer that says it is from another provider, or does not say from whom where it should, was mixed up. */
function assertSentBy({ openid }: ProviderEndpoints, { iss }: AuthorizationResponse): void {
  if (!openid || openid.issuer.includes('{tenantid}')) return;
  if (iss === undefined ? openid.sendsIssuer : iss !== openid.issuer)
    throw new ProviderRejected('the answer is from another provider');
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

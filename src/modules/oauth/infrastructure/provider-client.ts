import { decodeJwt } from 'jose';
import {
  AuthorizationResponseError,
  type AuthorizationServer,
  type Client,
  type ClientAuth,
  ClientSecretPost,
  clockTolerance,
  customFetch,
  genericTokenEndpointRequest,
  getValidatedIdTokenClaims,
  type IDToken,
  None,
  processAuthorizationCodeResponse,
  processUserInfoResponse,
  skipStateCheck,
  userInfoRequest,
  validateApplicationLevelSignature,
  validateAuthResponse,
} from 'oauth4webapi';
import type { AuthorizationResponse, ProviderConnection } from '../domain/identity-provider.js';
import { AccessDenied, ProviderRejected } from '../domain/oauth.errors.js';
import type { OpenidMetadata } from './openid-metadata.js';
import { conform, type Json, jsonObject, jsonOf, OVER_HTTP, type ProviderHttp } from './provider-http.js';
import type { ClientAuthentication, ProviderEndpoints } from './providers.js';

// Asymmetric only: with an HMAC, knowing the public key or the client secret would be enough to forge a token.
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');
const CLOCK_TOLERANCE_SECONDS = 60;
const TENANT = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** Tokens whose id_token is verified. */
export interface VerifiedTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Undefined where the provider is not an OpenID provider. */
  readonly idToken?: IDToken;
}

/** What a provider says about a user beside the id_token, as it came; undefined where the provider has no such endpoint. */
export interface ProviderStatements {
  readonly profile: unknown;
  readonly emails: unknown;
}

/** A provider as one connection reaches it: every check of what it answers. oauth4webapi makes the requests; the bounded client sends them. */
export class ProviderClient {
  private readonly client: Client;
  private readonly server: AuthorizationServer;
  private readonly options;

  constructor(
    private readonly http: ProviderHttp,
    private readonly metadata: OpenidMetadata,
    readonly endpoints: ProviderEndpoints,
    private readonly connection: Pick<ProviderConnection, 'appId' | 'clientId'>,
  ) {
    this.client = { client_id: connection.clientId, [clockTolerance]: CLOCK_TOLERANCE_SECONDS };
    this.server = {
      issuer: endpoints.openid?.issuer ?? endpoints.authorization,
      token_endpoint: endpoints.token,
      userinfo_endpoint: endpoints.profile,
      authorization_response_iss_parameter_supported: endpoints.openid?.sendsIssuer,
      id_token_signing_alg_values_supported: ALGORITHMS,
      userinfo_signing_alg_values_supported: ALGORITHMS,
    };
    this.options = { ...OVER_HTTP, [customFetch]: http.fetchFor(connection.appId) };
  }

  /** The code of an answer that comes from this provider (RFC 9207) and is not an error. */
  codeOf({ code, error, iss }: AuthorizationResponse): string {
    const { openid } = this.endpoints;
    // A provider without OpenID, or with an issuer per tenant, has no issuer to compare with.
    const comparable = openid && !openid.issuer.includes('{tenantid}') ? iss : undefined;
    const answer = new URLSearchParams();
    for (const [name, value] of Object.entries({ code, error, iss: comparable }))
      if (value !== undefined) answer.set(name, value);
    try {
      validateAuthResponse(this.server, this.client, answer, skipStateCheck);
    } catch (refusal) {
      if (refusal instanceof AuthorizationResponseError) throw refusalOf(refusal);
      throw new ProviderRejected('the answer is from another provider');
    }
    if (!code) throw new ProviderRejected('the authorization endpoint answered without a code');
    return code;
  }

  /**
   * Exchanges a code for tokens. Client authentication methods are tried in order, since discovery does not say how this client was
   * registered; a provider checks the client before the code, so the code survives a refusal.
   */
  async tokens(
    parameters: Readonly<Record<string, string>>,
    nonce: string,
    secret: string | null,
  ): Promise<VerifiedTokens> {
    const methods = this.endpoints.clientAuthentication;
    for (const [i, method] of methods.entries()) {
      const authentication = authenticationBy(method, secret);
      const { status, body } = await conform('token response', async () => {
        const { server, client, options } = this;
        const response = await genericTokenEndpointRequest(
          server,
          client,
          authentication,
          'authorization_code',
          parameters,
          options,
        );
        return { status: response.status, body: jsonObject(await response.json(), 'the token response') };
      });
      if (body['error'] === 'invalid_client' && i + 1 < methods.length) continue;
      // Some providers answer errors with status 200.
      if (status !== 200 || body['error'] !== undefined)
        throw new ProviderRejected(`the token endpoint answered ${status} ${errorCode(body['error'])}`);
      return this.verified(body, nonce);
    }
    throw new ProviderRejected('the provider accepts no client secret');
  }

  /** What the userinfo endpoint says of the owner of the access token; for a provider without OpenID, what its own endpoints say. */
  async statements({ accessToken, idToken }: VerifiedTokens): Promise<ProviderStatements> {
    const profile = idToken
      ? await this.userinfo(accessToken, idToken)
      : await this.json(this.endpoints.profile, accessToken);
    // GitHub answers 403 or 404 to a GitHub App without the permission "Email addresses".
    const emails = await this.json(this.endpoints.emails, accessToken, [403, 404]);
    return { profile, emails };
  }

  private verified(body: Json, nonce: string): Promise<VerifiedTokens> {
    const { openid } = this.endpoints;
    const { access_token, token_type, id_token, refresh_token } = body;
    if (openid && id_token === undefined) throw new ProviderRejected('the token response has no id_token');
    return conform(openid ? 'id_token' : 'token response', async () => {
      // Only the members that a login uses: providers deviate in the rest (a list of scopes, no token type).
      const response = Response.json({
        access_token,
        token_type: typeof token_type === 'string' ? token_type : 'bearer',
        ...(openid && { id_token }),
      });
      const server = { ...this.server, ...(openid && { issuer: expectedIssuer(String(id_token), openid) }) };
      const tokens = await processAuthorizationCodeResponse(server, this.client, response, {
        ...(openid && { expectedNonce: nonce, requireIdToken: true }),
        recognizedTokenTypes: { dpop: refuseBoundToken },
      });
      const idToken = getValidatedIdTokenClaims(tokens);
      // The library compares `azp` only where the audience is shared.
      if (idToken?.['azp'] !== undefined && idToken['azp'] !== this.client.client_id)
        throw new ProviderRejected('the id_token was made for another party');
      if (openid) await this.verifySignature(response, openid.jwks);
      const refreshToken = typeof refresh_token === 'string' ? refresh_token : '';
      return { accessToken: tokens.access_token, refreshToken, idToken };
    });
  }

  /** A profile in JSON, or a signed one (`application/jwt`), which counts only when it verifies: the id_token suffices without it. */
  private async userinfo(accessToken: string, { iss, sub }: IDToken): Promise<unknown> {
    const { server, client, options } = this;
    if (server.userinfo_endpoint === undefined) return undefined;
    const response = await conform('profile', () => userInfoRequest(server, client, accessToken, options));
    const isSigned =
      response.status === 200 && response.headers.get('content-type')?.split(';')[0] === 'application/jwt';
    try {
      return await conform('profile', async () => {
        const claims = await processUserInfoResponse({ ...server, issuer: iss }, client, sub, response);
        if (!isSigned) return claims;
        // OpenID Connect Core 5.3.2; the library takes both as optional.
        if (claims['iss'] === undefined || claims['aud'] === undefined)
          throw new ProviderRejected('the profile is a JWT without an issuer or an audience');
        await this.verifySignature(response, this.endpoints.openid!.jwks);
        return claims;
      });
    } catch (error) {
      if (isSigned && error instanceof ProviderRejected) return undefined;
      throw error;
    }
  }

  /** By the provider's own keys. A key or key address in the header of the JWT is never used. */
  private async verifySignature(response: Response, jwks: string): Promise<void> {
    const options = { ...OVER_HTTP, [customFetch]: this.http.fetch };
    await validateApplicationLevelSignature(this.metadata.keySet(jwks), response, options);
  }

  private async json(url: string | undefined, accessToken: string, denials: readonly number[] = []): Promise<unknown> {
    if (url === undefined) return undefined;
    const response = await this.http.send(url, {
      appId: this.connection.appId,
      headers: { authorization: `Bearer ${accessToken}` },
    });
    return denials.includes(response.status) ? undefined : jsonOf(url, response);
  }
}

/** Proves to the token endpoint which client asks (RFC 6749, section 2.3.1). Without a secret only PKCE does. */
function authenticationBy(method: ClientAuthentication, secret: string | null): ClientAuth {
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

function refuseBoundToken(): never {
  throw new ProviderRejected('the access token is bound to a key (DPoP)');
}

/** The issuer an id_token must name: microsoft's contains the tenant that the token names, google documents two spellings. */
function expectedIssuer(idToken: string, { issuer, issuerAlias }: NonNullable<ProviderEndpoints['openid']>): string {
  const { iss, tid } = decodeJwt(idToken);
  if (issuerAlias !== undefined && iss === issuerAlias) return issuerAlias;
  return issuer.replace('{tenantid}', typeof tid === 'string' && TENANT.test(tid) ? tid : '');
}

function refusalOf({ error }: AuthorizationResponseError): AccessDenied | ProviderRejected {
  if (error === 'access_denied' || error === 'user_cancelled_authorize') return new AccessDenied();
  return new ProviderRejected(`the authorization endpoint answered ${errorCode(error)}`);
}

/** An OAuth error code for the log; any other value may be text of an attacker. */
function errorCode(value: unknown): string {
  return typeof value === 'string' && /^[a-z0-9_.-]{1,64}$/i.test(value) ? value : 'an error without a code';
}

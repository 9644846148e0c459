import { decodeJwt } from 'jose';
import {
  AuthorizationResponseError,
  authorizationCodeGrantRequest,
  type AuthorizationServer,
  type Client,
  type ClientAuth,
  clockTolerance,
  customFetch,
  getValidatedIdTokenClaims,
  type IDToken,
  nopkce,
  processAuthorizationCodeResponse,
  processUserInfoResponse,
  skipStateCheck,
  skipSubjectCheck,
  userInfoRequest,
  validateApplicationLevelSignature,
  validateAuthResponse,
} from 'oauth4webapi';
import type { AuthorizationResponse, ProviderConnection } from '../domain/identity-provider.js';
import { AccessDenied, ProviderRejected } from '../domain/oauth.errors.js';
import type { OpenidMetadata } from './openid-metadata.js';
import { conform, errorCode, type Json, OVER_HTTP, type ProviderHttp } from './provider-http.js';
import type { ProviderEndpoints } from './providers.js';

// The algorithms are asymmetric: with an HMAC, the public key or the client secret would be enough to forge a token.
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');
const CLOCK_TOLERANCE_SECONDS = 60;
/** AD FS denies userinfo to access tokens for another resource. Other providers have no such page, or require a permission. */
const USERINFO_DENIALS: readonly number[] = [401, 403, 404];
const TENANT = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** The exchange of the code, and the checks of OpenID and RFC 9207, by oauth4webapi. */
export class OpenidChecks {
  private readonly client: Client;
  private readonly server: AuthorizationServer;
  private readonly options;

  constructor(
    private readonly http: ProviderHttp,
    private readonly metadata: OpenidMetadata,
    private readonly endpoints: ProviderEndpoints,
    connection: Pick<ProviderConnection, 'appId' | 'clientId'>,
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

  /** The parameters of the callback with its code. */
  callbackOf({ code, error, iss }: AuthorizationResponse): URLSearchParams {
    const { openid } = this.endpoints;
    // A provider without OpenID, or with an issuer per tenant, has no issuer to compare with.
    const comparable = openid && !openid.issuer.includes('{tenantid}') ? iss : undefined;
    const answer = new URLSearchParams();
    for (const [name, value] of Object.entries({ code, error, iss: comparable }))
      if (value !== undefined) answer.set(name, value);
    let callback: URLSearchParams;
    try {
      callback = validateAuthResponse(this.server, this.client, answer, skipStateCheck);
    } catch (refusal) {
      if (refusal instanceof AuthorizationResponseError) throw refusalOf(refusal);
      throw new ProviderRejected('the answer is from another provider');
    }
    if (!code) throw new ProviderRejected('the authorization endpoint answered without a code');
    return callback;
  }

  exchange(
    callback: URLSearchParams,
    authentication: ClientAuth,
    redirectUri: string,
    codeVerifier: string,
  ): Promise<Response> {
    const { server, client, options } = this;
    const verifier = codeVerifier || nopkce;
    return conform('token response', () =>
      authorizationCodeGrantRequest(server, client, authentication, callback, redirectUri, verifier, options),
    );
  }

  /** Undefined if the provider is not an OpenID provider. */
  verified(body: Json, nonce: string): Promise<IDToken | undefined> {
    const { openid } = this.endpoints;
    const { access_token, token_type, id_token } = body;
    if (openid && id_token === undefined) throw new ProviderRejected('the token response has no id_token');
    return conform(openid ? 'id_token' : 'token response', async () => {
      const authTime = openid && oddAuthTime(id_token);
      // Only the members that a login uses: providers deviate in the rest (a list of scopes, no token type).
      const response = Response.json({
        access_token,
        token_type: typeof token_type === 'string' ? token_type : 'bearer',
        ...(openid && { id_token: authTime ? authTime.without : id_token }),
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
      if (openid) await this.verifySignature(authTime ? await this.signed(server, id_token) : response, openid.jwks);
      return idToken && authTime?.seconds !== undefined ? { ...idToken, auth_time: authTime.seconds } : idToken;
    });
  }

  /** A signed profile (`application/jwt`) counts only when it verifies: the id_token suffices without it. */
  async userinfo(
    accessToken: string,
    { iss, sub }: IDToken,
  ): Promise<{ readonly profile?: unknown; readonly userinfoDenial?: number }> {
    const { server, client, options } = this;
    if (server.userinfo_endpoint === undefined) return {};
    const response = await conform('profile', () => userInfoRequest(server, client, accessToken, options));
    if (USERINFO_DENIALS.includes(response.status)) return { userinfoDenial: response.status };
    const isSigned =
      response.status === 200 && response.headers.get('content-type')?.split(';')[0] === 'application/jwt';
    try {
      return await conform('profile', async () => {
        const claims = await processUserInfoResponse({ ...server, issuer: iss }, client, sub, response);
        if (!isSigned) return { profile: claims };
        // OpenID Connect Core 5.3.2; the library takes both as optional.
        if (claims['iss'] === undefined || claims['aud'] === undefined)
          throw new ProviderRejected('the profile is a JWT without an issuer or an audience');
        await this.verifySignature(response, this.endpoints.openid!.jwks);
        return { profile: claims };
      });
    } catch (error) {
      if (isSigned && error instanceof ProviderRejected) return {};
      throw error;
    }
  }

  /** A response whose signature is that of the id_token: the library verifies the signatures of userinfo responses only. */
  private async signed(server: AuthorizationServer, idToken: unknown): Promise<Response> {
    const response = new Response(String(idToken), { headers: { 'content-type': 'application/jwt' } });
    await processUserInfoResponse(server, this.client, skipSubjectCheck, response);
    return response;
  }

  /** A key or key address in the header of the JWT is never used. */
  private async verifySignature(response: Response, jwks: string): Promise<void> {
    const options = { ...OVER_HTTP, [customFetch]: this.http.fetch };
    await validateApplicationLevelSignature(this.metadata.keySet(jwks), response, options);
  }
}

function refuseBoundToken(): never {
  throw new ProviderRejected('the access token is bound to a key (DPoP)');
}

/** The library refuses an `auth_time` that is no number. Returns the token without it, whose signature no longer fits, and its seconds. */
function oddAuthTime(idToken: unknown): { readonly without: string; readonly seconds?: number } | undefined {
  const { auth_time: authTime, ...claims } = decodeJwt(String(idToken));
  if (authTime === undefined || (typeof authTime === 'number' && authTime >= 0)) return undefined;
  const [header, , signature] = String(idToken).split('.');
  const without = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${signature}`;
  const isDigits = typeof authTime === 'string' && /^\d{1,15}$/.test(authTime);
  return { without, ...(isDigits && { seconds: Number(authTime) }) };
}

/** Microsoft's issuer contains the tenant that the token names; Google documents two spellings. */
function expectedIssuer(idToken: string, { issuer, issuerAlias }: NonNullable<ProviderEndpoints['openid']>): string {
  const { iss, tid } = decodeJwt(idToken);
  if (issuerAlias !== undefined && iss === issuerAlias) return issuerAlias;
  return issuer.replace('{tenantid}', typeof tid === 'string' && TENANT.test(tid) ? tid : '');
}

function refusalOf({ error }: AuthorizationResponseError): AccessDenied | ProviderRejected {
  if (error === 'access_denied' || error === 'user_cancelled_authorize') return new AccessDenied();
  return new ProviderRejected(`the authorization endpoint answered ${errorCode(error)}`);
}

import { decodeJwt } from 'jose';
import {
  AuthorizationResponseError,
  type AuthorizationServer,
  type Client,
  clockTolerance,
  customFetch,
  getValidatedIdTokenClaims,
  type IDToken,
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
import { conform, errorCode, type Json, OVER_HTTP, type ProviderHttp } from './provider-http.js';
import type { ProviderEndpoints } from './providers.js';

// The list has only asymmetric algorithms: with an HMAC, knowing the public key or the client secret would be enough to forge a token.
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');
const CLOCK_TOLERANCE_SECONDS = 60;
const TENANT = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** The checks that OpenID and RFC 9207 add to an OAuth login, by oauth4webapi. The bounded client sends its requests. */
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

  /** The code of a callback that comes from this provider (RFC 9207) and is not an error. */
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

  /** The claims of the id_token in a token response; undefined if the provider is not an OpenID provider. */
  verified(body: Json, nonce: string): Promise<IDToken | undefined> {
    const { openid } = this.endpoints;
    const { access_token, token_type, id_token } = body;
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
      return idToken;
    });
  }

  /** A profile in JSON, or a signed one (`application/jwt`), which counts only when it verifies: the id_token suffices without it. */
  async userinfo(accessToken: string, { iss, sub }: IDToken): Promise<unknown> {
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

  /** Verifies by the provider's own keys. A key or key address in the header of the JWT is never used. */
  private async verifySignature(response: Response, jwks: string): Promise<void> {
    const options = { ...OVER_HTTP, [customFetch]: this.http.fetch };
    await validateApplicationLevelSignature(this.metadata.keySet(jwks), response, options);
  }
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

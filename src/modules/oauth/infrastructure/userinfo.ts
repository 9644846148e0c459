import type { AppId } from '../../../kernel/ids.js';
import type { OutboundRequest, OutboundResponse } from '../../../services/outbound/outbound.js';
import { ProviderRejected } from '../domain/oauth.errors.js';
import { type TokenExpectation, verifyUserinfo } from './id-token.js';
import { jsonOf, type ProviderHttp } from './provider-http.js';
import type { ProviderEndpoints } from './providers.js';

/** What the provider says of the owner of an access token, beside the id_token. */
export class Userinfo {
  constructor(
    private readonly http: ProviderHttp,
    appId: AppId,
    accessToken: string,
  ) {
    this.request = { appId, headers: { Authorization: `Bearer ${accessToken}` } };
  }
  private readonly request: OutboundRequest;

  /**
   * The profile, undefined where the provider has none. A signed one (`application/jwt`) counts only when it verifies and is
   * of the subject of the id_token; the id_token suffices without it.
   */
  async profile(
    { profile: url }: ProviderEndpoints,
    idToken: { readonly sub: string } | undefined,
    expected: TokenExpectation | undefined,
  ): Promise<unknown> {
    if (url === undefined) return undefined;
    const response = await this.http.send(url, this.request);
    if (!idToken || !expected || !isJwt(response)) return jsonOf(url, response);
    try {
      const claims = await verifyUserinfo(response.body, expected);
      return claims.sub === idToken.sub ? claims : undefined;
    } catch (error) {
      if (error instanceof ProviderRejected) return undefined;
      throw error;
    }
  }

  /** The addresses, undefined where the provider has no list or the app has no permission to read it. */
  async emails({ emails: url }: ProviderEndpoints): Promise<unknown> {
    if (url === undefined) return undefined;
    const response = await this.http.send(url, this.request);
    // GitHub answers so to a GitHub App without the permission "Email addresses".
    return response.status === 403 || response.status === 404 ? undefined : jsonOf(url, response);
  }
}

function isJwt({ status, headers }: OutboundResponse): boolean {
  return status === 200 && /^application\/jwt\b/i.test(headers['content-type'] ?? '');
}

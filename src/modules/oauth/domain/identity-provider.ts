import type { AppId, OauthConnectionId } from '../../../kernel/ids.js';

/** A registration at an identity provider: an app's, or the operators' own. */
export interface ProviderConnection {
  readonly id: OauthConnectionId;
  readonly appId: AppId;
  /** The name of a built-in provider, such as `google`, or the operator's name for an OpenID provider. */
  readonly provider: string;
  readonly clientId: string;
  readonly clientSecret: string | null;
  /** Where the endpoints are discovered; null for a provider whose endpoints are known. */
  readonly issuer: string | null;
  readonly teamId: string | null;
  readonly keyId: string | null;
  readonly privateKey: string | null;
  /** Whether logins send PKCE (RFC 7636). */
  readonly sendsPkce: boolean;
  /** The scopes that are asked for; by default those of the provider. */
  readonly scopes?: readonly string[];
  /** The path to which the provider returns; by default the callback of the connection. */
  readonly callbackPath?: string;
}

/** The values that tie the authorization request of a login to its callback. */
export interface AuthorizationBinding {
  readonly state: string;
  readonly nonce: string;
  /** Further parameters of the authorization request, such as `max_age`. */
  readonly parameters?: Readonly<Record<string, string>>;
}

export interface AuthorizationRequest {
  /** The provider's login page with everything in its query. */
  readonly url: string;
  /** Kept secret until the code is exchanged (RFC 7636); empty if the connection sends no PKCE. */
  readonly codeVerifier: string;
  /** Whether the provider comes back with a cross-site POST, to which browsers attach only `SameSite=None` cookies. */
  readonly postsBack: boolean;
}

/** The parameters of the callback, untrusted: an attacker may have written them. */
export interface AuthorizationResponse {
  readonly code?: string;
  readonly error?: string;
  /** The issuer of the response (RFC 9207). */
  readonly iss?: string;
  /** The user's names, which apple sends only with the first login. */
  readonly user?: string;
}

/** The user who signed in, proven by the provider. */
export interface ProviderLogin {
  readonly subject: string;
  /** The user's address. `isVerified` is true only if the provider itself says so. */
  readonly email: { readonly address: string; readonly isVerified: boolean } | null;
  readonly firstName: string;
  readonly middleName: string;
  readonly lastName: string;
  /** All that the provider says of the user. */
  readonly claims: Readonly<Record<string, unknown>>;
  readonly accessToken: string;
  /** Empty when the provider gave none. */
  readonly refreshToken: string;
  /** The status of a userinfo endpoint that denied its answer, so that only the id_token describes the user; otherwise null. */
  readonly userinfoDenial: number | null;
}

/** Identity providers, reached through an app's connection. */
export abstract class IdentityProvider {
  /** Whether a provider of this name is known without a connection that says where it is. */
  abstract isBuiltIn(provider: string): boolean;

  /** Says where to send the browser. Throws `ProviderUnavailable` or `ProviderRejected` when it needs metadata that cannot be used. */
  abstract begin(connection: ProviderConnection, binding: AuthorizationBinding): Promise<AuthorizationRequest>;

  /**
   * Exchanges the callback's parameters for a login whose id_token and profile are verified. Throws `AccessDenied`,
   * `ProviderRejected` or `ProviderUnavailable`. Takes bounded time, even when the provider never responds.
   */
  abstract complete(
    connection: ProviderConnection,
    response: AuthorizationResponse,
    sent: { readonly nonce: string; readonly codeVerifier: string },
  ): Promise<ProviderLogin>;
}

/** The provider of the operators. Only it may be on a private address (`CONSOLE_OIDC_PRIVATE_ISSUER`), and it shares no cache with those of apps. */
export abstract class OperatorsIdentityProvider extends IdentityProvider {}

import type { AppId, OauthConnectionId } from '../../../kernel/ids.js';

/** An app's registration at an identity provider. */
export interface ProviderConnection {
  readonly id: OauthConnectionId;
  readonly appId: AppId;
  /** `google`, `microsoft`, `apple`, `github`, `discord`, or the operator's name for an OpenID provider. */
  readonly provider: string;
  readonly clientId: string;
  readonly clientSecret: string | null;
  /** Where the endpoints are discovered; null for a provider whose endpoints are known. */
  readonly issuer: string | null;
  readonly teamId: string | null;
  readonly keyId: string | null;
  readonly privateKey: string | null;
}

/** What ties a login's way out to its way back. */
export interface AuthorizationBinding {
  readonly state: string;
  readonly nonce: string;
}

export interface AuthorizationRequest {
  /** The provider's login page with everything in its query. */
  readonly url: string;
  /** Kept secret until the code is exchanged (RFC 7636). */
  readonly codeVerifier: string;
  /** Whether the provider comes back with a cross-site POST, to which browsers attach only `SameSite=None` cookies. */
  readonly postsBack: boolean;
}

/** What came back through the browser, so anybody may have written it. */
export interface AuthorizationResponse {
  readonly code?: string;
  readonly error?: string;
  /** RFC 9207. */
  readonly iss?: string;
  /** The names apple tells once, with the first login. */
  readonly user?: string;
}

/** Who signed in, proved by the provider. */
export interface ProviderLogin {
  readonly subject: string;
  /** `isVerified` only where the provider itself says so. */
  readonly email: { readonly address: string; readonly isVerified: boolean } | null;
  readonly firstName: string;
  readonly middleName: string;
  readonly lastName: string;
  readonly accessToken: string;
  /** Empty when the provider gave none. */
  readonly refreshToken: string;
}

/** The identity providers of the world, reached through an app's connection. */
export abstract class IdentityProvider {
  /** Whether a provider of this name is known without a connection that says where it is. */
  abstract isBuiltIn(provider: string): boolean;

  /** Where to send the browser. Throws `ProviderUnavailable` or `ProviderRejected` when the provider must be asked first and is no help. */
  abstract begin(connection: ProviderConnection, binding: AuthorizationBinding): Promise<AuthorizationRequest>;

  /**
   * Exchanges what the browser brought back for a login whose id_token and profile are verified. Throws `AccessDenied`,
   * `ProviderRejected` or `ProviderUnavailable`; takes bounded time whatever the provider does.
   */
  abstract complete(
    connection: ProviderConnection,
    response: AuthorizationResponse,
    sent: { readonly nonce: string; readonly codeVerifier: string },
  ): Promise<ProviderLogin>;
}

import type { AppId, OauthConnectionId } from '../../../kernel/ids.js';

/** A registration at an identity provider: an app's, or the operators' own. */
export interface ProviderConnection {
  readonly id: OauthConnectionId;
  readonly appId: AppId;
  /** A built-in provider, such as `google`, or the operator's name for an OpenID provider. */
  readonly provider: string;
  readonly clientId: string;
  readonly clientSecret: string | null;
  /** Null for a provider whose endpoints are built in. */
  readonly issuer: string | null;
  readonly teamId: string | null;
  readonly keyId: string | null;
  readonly privateKey: string | null;
  /** RFC 7636. */
  readonly sendsPkce: boolean;
  readonly scopes?: readonly string[];
  readonly callbackPath?: string;
}

/** Ties the authorization request of a login to its callback. */
export interface AuthorizationBinding {
  readonly state: string;
  readonly nonce: string;
  readonly parameters?: Readonly<Record<string, string>>;
}

export interface AuthorizationRequest {
  readonly url: string;
  readonly codeVerifier: string;
  /** Whether the provider comes back with a cross-site POST, to which browsers attach only `SameSite=None` cookies. */
  readonly postsBack: boolean;
}

/** The parameters of the callback, untrusted: an attacker may have written them. */
export interface AuthorizationResponse {
  readonly code?: string;
  readonly error?: string;
  /** RFC 9207. */
  readonly iss?: string;
  /** Apple sends the user's names only with the first login. */
  readonly user?: string;
}

export interface ProviderLogin {
  readonly subject: string;
  /** `isVerified` only if the provider itself says so. */
  readonly email: { readonly address: string; readonly isVerified: boolean } | null;
  readonly firstName: string;
  readonly middleName: string;
  readonly lastName: string;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly accessToken: string;
  readonly refreshToken: string;
  /** The status with which the userinfo endpoint denied its answer; the id_token alone then describes the user. */
  readonly userinfoDenial: number | null;
}

export abstract class IdentityProvider {
  abstract isBuiltIn(provider: string): boolean;

  abstract begin(connection: ProviderConnection, binding: AuthorizationBinding): Promise<AuthorizationRequest>;

  /** Verifies the id_token and the profile. Takes bounded time, even when the provider never responds. */
  abstract complete(
    connection: ProviderConnection,
    response: AuthorizationResponse,
    sent: { readonly nonce: string; readonly codeVerifier: string },
  ): Promise<ProviderLogin>;
}

/** Its provider may be on a private address (`CONSOLE_OIDC_PRIVATE_ISSUER`), so it shares no cache with those of apps. */
export abstract class OperatorsIdentityProvider extends IdentityProvider {}

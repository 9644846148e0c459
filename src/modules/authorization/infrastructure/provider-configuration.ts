import type { BrowserSession, KoaContext, OidcClient } from 'oidc-provider';
import { WALLET_SPEND } from '../../policy/index.js';
import { LEVELS } from '../domain/authentication.js';
import { ASSERTION_ALGORITHMS, isPublicKey } from '../domain/client-rules.js';
import type { OauthClient } from '../domain/oauth-client.js';
import { CLAIMS_OF_SCOPES, OFFLINE_ACCESS } from '../domain/oauth-scope.js';

// Options that are the same for every app. The hooks that need an app are in `providers.ts`.

const off = { enabled: false };
const on = { enabled: true };

/** The library drops `offline_access` from requests that do not ask for consent by `prompt`; this parameter keeps it. */
export const WANTS_OFFLINE = 'wants_offline_access';

const DAY = 86_400;
export const INTERACTION_SECONDS = 1_800;
const OPAQUE_TOKEN_SECONDS = 300;

export const FEATURES = {
  claimsParameter: off,
  clientCredentials: on,
  devInteractions: off,
  dPoP: on,
  externalSigningSupport: { enabled: true, ack: 'experimental-01' },
  pushedAuthorizationRequests: on,
  requestObjects: off,
  userinfo: on,
};

interface IssuedToken {
  readonly resourceServer?: { readonly accessTokenTTL: number };
}

export const CONFIGURATION = {
  acrValues: [...LEVELS],
  claims: CLAIMS_OF_SCOPES,
  clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
  clientBasedCORS: (ctx: KoaContext, origin: string, client: OidcClient) =>
    (client.clientAuthMethod === 'none' || ctx.oidc!.route === 'userinfo') &&
    client.redirectUris.some((uri) => URL.canParse(uri) && new URL(uri).origin === origin && origin !== 'null'),
  // A tolerance would add to the life of every token.
  clockTolerance: 0,
  enabledJWA: { clientAuthSigningAlgValues: [...ASSERTION_ALGORITHMS] },
  // Many programs read the claims in the id_token alone: a setting of the client decides.
  conformIdTokenClaims: false,
  // A grant ends with its session, and so do its tokens.
  expiresWithSession: () => false,
  extraParams: [WANTS_OFFLINE],
  extraClientMetadata: { properties: ['previous_secret', 'settings'] },
  issueRefreshToken: (_ctx: KoaContext, client: OidcClient) => client.grantTypeAllowed('refresh_token'),
  pkce: { required: (_ctx: KoaContext, client: OidcClient) => settingsOf(client).pkce === 'required' },
  responseTypes: ['code'],
  rotateRefreshToken: true,
  routes: {
    authorization: '/auth',
    end_session: '/logout',
    introspection: '/introspect',
    jwks: '/jwks',
    pushed_authorization_request: '/par',
    revocation: '/revoke',
    token: '/token',
    userinfo: '/userinfo',
  },
  scopes: ['openid', OFFLINE_ACCESS],
  ttl: {
    AccessToken(_ctx: unknown, token: IssuedToken): number {
      return token.resourceServer?.accessTokenTTL ?? OPAQUE_TOKEN_SECONDS;
    },
    AuthorizationCode: 60,
    ClientCredentials(_ctx: unknown, token: IssuedToken): number {
      return token.resourceServer!.accessTokenTTL;
    },
    IdToken: 3_600,
    Interaction: INTERACTION_SECONDS,
    RefreshToken: 30 * DAY,
    // The login of a browser ends with the session of the user, which the adapter checks. One that is not remembered only signs out.
    Session: (_ctx: unknown, { transient }: BrowserSession) => (transient ? 30 : 365) * DAY,
    Grant: DAY,
  },
};

export function metadataOf(client: OauthClient): Record<string, unknown> {
  const { name, settings, ...secrets } = client;
  return {
    client_id: client.clientId,
    client_name: name,
    // Native clients may use any port of a loopback address.
    application_type: client.isLocal() ? 'native' : 'web',
    // The keyed hash may be compared as text: without the key, the time of the comparison reveals nothing.
    ...(secrets.secretHash && { client_secret: secrets.secretHash.toString('hex') }),
    previous_secret: {
      hash: secrets.previousSecretHash?.toString('hex') ?? null,
      endsAt: secrets.previousSecretEndsAt?.getTime() ?? 0,
    } satisfies PreviousSecret,
    token_endpoint_auth_method: client.authMethod,
    // The rules for keys may be newer than the key.
    ...(settings.jwks && { jwks: { keys: settings.jwks.keys.filter(isPublicKey) } }),
    ...(settings.jwksUri && { jwks_uri: settings.jwksUri }),
    grant_types: [...settings.grantTypes],
    response_types: settings.grantTypes.includes('authorization_code') ? ['code'] : [],
    response_modes: ['query', 'form_post'],
    redirect_uris: [...settings.redirectUris],
    post_logout_redirect_uris: [...settings.postLogoutRedirectUris],
    authorization_details_types: [WALLET_SPEND],
    settings,
  };
}

export interface PreviousSecret {
  readonly hash: string | null;
  readonly endsAt: number;
}

export const settingsOf = (client: OidcClient) => client['settings'] as OauthClient['settings'];

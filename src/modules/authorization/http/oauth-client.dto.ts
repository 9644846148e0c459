import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { JsonObject, ListOf } from '../../../edge/http/compound-fields.js';
import { RESETTABLE } from '../../../edge/http/field.js';
import { Flag, HttpUrl, IdOf, MAX_LENGTH, MinutesWithin, OneOf, Text } from '../../../edge/http/fields.js';
import { ListQuery } from '../../../edge/http/list.dto.js';
import { EnumValues, Example } from '../../../edge/openapi/plugin-schemas.js';
import { epochSeconds } from '../../../kernel/clock.js';
import { exampleId } from '../../../kernel/examples.js';
import type { OauthClientId } from '../../../kernel/ids.js';
import type { Lifetime } from '../../../kernel/lifetime.js';
import type { Page } from '../../../kernel/paging.js';
import type { ClientWithSecret } from '../application/manage-clients.js';
import {
  AUTH_METHODS,
  type AuthMethod,
  CLIENT_TYPES,
  type ClientSettings,
  type ClientType,
  GRANT_TYPES,
  type GrantType,
  type JsonWebKeySet,
  type OauthClient,
  PKCE,
} from '../domain/oauth-client.js';
import { MOST_RESOURCES, MOST_SCOPES } from '../domain/oauth-resource.js';
import { Scope } from './oauth-resource.dto.js';

const MOST_URIS = 50;
/** The set, its list, a key, and a list such as `key_ops`. */
const KEY_LEVELS = 4;
const OVERLAP = { min: 0, max: 10_080, standard: 0 } as const satisfies Lifetime & { standard: number };

export class CreateOauthClientRequest {
  /** A name that users and operators recognise. */
  @Text({ min: 1, max: MAX_LENGTH.name, pattern: /\S/, example: 'Nightly export' })
  readonly name!: string;

  /** Whether the client keeps a secret. */
  @OneOf(CLIENT_TYPES)
  readonly type!: ClientType;

  /** The grants that the client may use at the token endpoint. */
  @ListOf(OneOf(GRANT_TYPES), { min: 1, max: 4, example: ['client_credentials'] })
  readonly grant_types!: GrantType[];

  /**
   * The URLs to which users are sent back: https, http on loopback with any port, and for public clients a scheme in reverse-domain form.
   * Compared exactly.
   */
  @ListOf(Text({ min: 1, max: MAX_LENGTH.url }), { max: MOST_URIS, optional: true, example: [] })
  readonly redirect_uris?: string[];

  /** The URLs to which users may be sent after a logout. */
  @ListOf(Text({ min: 1, max: MAX_LENGTH.url }), { max: MOST_URIS, optional: true, example: [] })
  readonly post_logout_redirect_uris?: string[];

  /** Whether authorization requests need a challenge (RFC 7636). `optional` is for confidential programs that cannot send one. */
  @OneOf(PKCE)
  readonly pkce: (typeof PKCE)[number] = 'required';

  /** Whether the id_token has the claims of the scopes too, which userinfo gives. */
  @Flag()
  readonly claims_in_id_token: boolean = true;

  /** The logo that the login page shows. */
  @HttpUrl({ optional: true })
  readonly logo_uri?: string;

  /** The scopes that the client may get. Others that it asks for are left out. `openid`, `profile`, `email`, `phone`, `wallets` and `offline_access` are about the user. */
  @ListOf(Scope(), { max: MOST_SCOPES, optional: true, example: ['orders:read'] })
  readonly scopes?: string[];

  /** The audiences of the resources for which the client may get tokens. */
  @ListOf(HttpUrl(), { max: MOST_RESOURCES, optional: true, example: ['https://orders.example.com'] })
  readonly resources?: string[];

  /** The audience of tokens for which the client names no resource. One of `resources`. */
  @HttpUrl({ optional: true, example: 'https://orders.example.com' })
  readonly default_resource?: string;

  /** How the client authenticates: by its secret or by a key of its own. Never changes. */
  @OneOf(AUTH_METHODS, { optional: true })
  readonly token_endpoint_auth_method?: AuthMethod;

  /** The public keys of a client with `private_key_jwt` (RFC 7517). */
  @JsonObject({ levels: KEY_LEVELS, optional: true })
  readonly jwks?: JsonWebKeySet;

  /** Where a client with `private_key_jwt` publishes its keys, instead of `jwks`. */
  @HttpUrl({ optional: true })
  readonly jwks_uri?: string;

  static settingsOf(this: void, request: CreateOauthClientRequest): ClientSettings {
    return { ...UNSET, ...settingsIn(request) } as ClientSettings;
  }
}

const UNSET = {
  redirectUris: [],
  postLogoutRedirectUris: [],
  logoUri: null,
  scopes: [],
  resources: [],
  defaultResource: null,
  jwks: null,
  jwksUri: null,
} as const satisfies Partial<ClientSettings>;

/** Returns the settings that the request sets. A list has no value twice. */
function settingsIn(request: Partial<CreateOauthClientRequest> | UpdateOauthClientRequest): Partial<ClientSettings> {
  const settings = {
    grantTypes: request.grant_types,
    redirectUris: request.redirect_uris,
    postLogoutRedirectUris: request.post_logout_redirect_uris,
    pkce: request.pkce,
    claimsInIdToken: request.claims_in_id_token,
    logoUri: request.logo_uri,
    scopes: request.scopes,
    resources: request.resources,
    defaultResource: request.default_resource,
    jwks: request.jwks,
    jwksUri: request.jwks_uri,
  };
  const changes = Object.entries(settings).filter(([, value]) => value !== undefined);
  return Object.fromEntries(changes.map(([name, value]) => [name, Array.isArray(value) ? [...new Set(value)] : value]));
}

/** The changes of a client. Absent fields stay unchanged; the type never changes. */
export class UpdateOauthClientRequest {
  /** A name that users and operators recognise. */
  @Text({ min: 1, max: MAX_LENGTH.name, pattern: /\S/, optional: true, example: 'Hourly export' })
  readonly name?: string;

  /** The grants that the client may use at the token endpoint. */
  @ListOf(OneOf(GRANT_TYPES), { min: 1, max: 4, optional: true })
  readonly grant_types?: GrantType[];

  /** The URLs to which users are sent back. Replaces the list. */
  @ListOf(Text({ min: 1, max: MAX_LENGTH.url }), { max: MOST_URIS, optional: true, example: [] })
  readonly redirect_uris?: string[];

  /** The URLs to which users may be sent after a logout. Replaces the list. */
  @ListOf(Text({ min: 1, max: MAX_LENGTH.url }), { max: MOST_URIS, optional: true, example: [] })
  readonly post_logout_redirect_uris?: string[];

  /** Whether authorization requests need a challenge. */
  @OneOf(PKCE, { optional: true })
  readonly pkce?: (typeof PKCE)[number];

  /** Whether the id_token has the claims of the scopes too. */
  @Flag({ optional: true })
  readonly claims_in_id_token?: boolean;

  /** The logo that the login page shows; `null` for none. */
  @HttpUrl(RESETTABLE)
  readonly logo_uri?: string | null;

  /** The scopes that the client may get. Replaces the list. */
  @ListOf(Scope(), { max: MOST_SCOPES, optional: true, example: ['orders:read'] })
  readonly scopes?: string[];

  /** The audiences of the resources for which the client may get tokens. Replaces the list. */
  @ListOf(HttpUrl(), { max: MOST_RESOURCES, optional: true })
  readonly resources?: string[];

  /** The audience of tokens for which the client names no resource; `null` for none. */
  @HttpUrl(RESETTABLE)
  readonly default_resource?: string | null;

  /** The public keys; `null` for none. */
  @JsonObject({ levels: KEY_LEVELS, ...RESETTABLE })
  readonly jwks?: JsonWebKeySet | null;

  /** Where the client publishes its keys; `null` for none. */
  @HttpUrl(RESETTABLE)
  readonly jwks_uri?: string | null;

  static changesOf(request: UpdateOauthClientRequest): { name?: string; settings: Partial<ClientSettings> } {
    const { name } = request;
    return { ...(name !== undefined && { name }), settings: settingsIn(request) };
  }
}

export class RotateClientSecretRequest {
  /** The number of minutes for which the current secret is accepted beside the new one. */
  @MinutesWithin(OVERLAP)
  readonly overlap_minutes: number = OVERLAP.standard;
}

export class ListOauthClientsQuery extends ListQuery {
  /** The id of the last client of the previous page. */
  @IdOf('oauthClient', { optional: true })
  readonly starting_after?: OauthClientId;
}

@ApiSchema({ description: 'The client without its secret.' })
export class OauthClientResponse {
  /** The `client_id`. */
  @Example(exampleId('oauthClient'))
  id!: string;
  /** The name that users and operators recognise. */
  @Example('Order import')
  name!: string;
  /** Whether the client keeps a secret. */
  @EnumValues(CLIENT_TYPES)
  type!: ClientType;
  /** The grants that the client may use at the token endpoint. */
  @Example(['client_credentials'])
  grant_types!: string[];
  /** The URLs to which users are sent back. */
  @Example([])
  redirect_uris!: string[];
  /** The URLs to which users may be sent after a logout. */
  @Example([])
  post_logout_redirect_uris!: string[];
  /** Whether authorization requests need a challenge. */
  @EnumValues(PKCE)
  pkce!: (typeof PKCE)[number];
  /** Whether the id_token has the claims of the scopes too. */
  claims_in_id_token!: boolean;
  /** The logo that the login page shows; empty if there is none. */
  @Example('')
  logo_uri!: string;
  /** The scopes that the client may get. */
  @Example(['orders:read'])
  scopes!: string[];
  /** The audiences of the resources for which the client may get tokens. */
  @Example(['https://orders.example.com'])
  resources!: string[];
  /** The audience of tokens for which the client names no resource; empty if there is none. */
  @Example('https://orders.example.com')
  default_resource!: string;
  /** How the client authenticates at the token endpoint: its secret is accepted in the body (`client_secret_post`) too. */
  @EnumValues(AUTH_METHODS)
  token_endpoint_auth_method!: AuthMethod;
  /** The metadata document of a client that describes itself, which is its `client_id`; empty for a client that the app has registered. */
  @Example('')
  metadata_uri!: string;
  /** The public keys of a client with `private_key_jwt`; null if it has none here. */
  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true, example: null })
  jwks!: object | null;
  /** Where such a client publishes its keys; empty if it does not. */
  @Example('')
  jwks_uri!: string;
  /** The time until which the previous secret is accepted too, in epoch seconds; 0 if there is none. */
  previous_secret_ends_at!: number;
  updated_at!: number;
  created_at!: number;

  static of(client: OauthClient): OauthClientResponse {
    const { id, name, type, settings, ...times } = client;
    return {
      id,
      name,
      type,
      grant_types: [...settings.grantTypes],
      redirect_uris: [...settings.redirectUris],
      post_logout_redirect_uris: [...settings.postLogoutRedirectUris],
      pkce: settings.pkce,
      claims_in_id_token: settings.claimsInIdToken,
      logo_uri: settings.logoUri ?? '',
      scopes: [...settings.scopes],
      resources: [...settings.resources],
      default_resource: settings.defaultResource ?? '',
      token_endpoint_auth_method: client.authMethod,
      metadata_uri: settings.documentUrl ?? '',
      jwks: settings.jwks ?? null,
      jwks_uri: settings.jwksUri ?? '',
      previous_secret_ends_at: epochSeconds(times.previousSecretEndsAt),
      updated_at: epochSeconds(times.updatedAt),
      created_at: epochSeconds(times.createdAt),
    };
  }
}

@ApiSchema({ description: 'The client with its secret, which is shown only once.' })
export class OauthClientWithSecretResponse extends OauthClientResponse {
  /** The secret, accepted by HTTP Basic and in the body. It is shown only once; empty for a public client, which has none. */
  @Example('exampleSecretOfAnOauthClient00000000000000000000')
  client_secret!: string;

  static with({ client, secret }: ClientWithSecret): OauthClientWithSecretResponse {
    return { ...OauthClientResponse.of(client), client_secret: secret };
  }
}

@ApiSchema({ description: 'The new secret of the client, which is shown only once.' })
export class ClientSecretResponse {
  @Example(exampleId('oauthClient'))
  id!: string;
  /** The new secret. It is shown only once. */
  @Example('exampleSecretOfAnOauthClient00000000000000000000')
  client_secret!: string;
}

@ApiSchema({ description: 'A page of the clients, without their secrets.' })
export class OauthClientListResponse {
  /** The clients, newest first. */
  oauth_clients!: OauthClientResponse[];
  has_more!: boolean;

  static of({ items, hasMore }: Page<OauthClient>): OauthClientListResponse {
    return { oauth_clients: items.map((each) => OauthClientResponse.of(each)), has_more: hasMore };
  }
}

@ApiSchema({ description: 'The client was deleted.' })
export class OauthClientDeletedResponse {
  @Example(exampleId('oauthClient'))
  id!: string;
  @Example('The client was deleted.')
  message!: string;
}

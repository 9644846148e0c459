import { refusal } from '../../../kernel/domain-error.js';
import { type DataOf, evolve } from '../../../kernel/entity.js';
import { type AppId, newId, type OauthClientId } from '../../../kernel/ids.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';
import type { TokenHash } from '../../../kernel/secret-tokens.js';

export const CLIENT_TYPES = ['confidential', 'public'] as const;
export type ClientType = (typeof CLIENT_TYPES)[number];

export const AUTH_METHODS = ['client_secret_basic', 'private_key_jwt', 'none'] as const;
export type AuthMethod = (typeof AUTH_METHODS)[number];

export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
export const GRANT_TYPES = ['authorization_code', 'refresh_token', 'client_credentials', TOKEN_EXCHANGE] as const;
export type GrantType = (typeof GRANT_TYPES)[number];

/** An app registers so many at most, and as many more may describe themselves. */
export const MOST_CLIENTS = 1_000;

export const CLIENT_SECRET = 'oauth_client_secret';

export const PKCE = ['required', 'optional'] as const;

export interface ClientSettings {
  /** Compared exactly, except for the port of a loopback address. */
  readonly redirectUris: readonly string[];
  readonly postLogoutRedirectUris: readonly string[];
  /** `optional` is for confidential programs that cannot send a challenge. */
  readonly pkce: (typeof PKCE)[number];
  /** If false, only userinfo has the claims of the scopes. */
  readonly claimsInIdToken: boolean;
  readonly logoUri: string | null;
  readonly grantTypes: readonly GrantType[];
  readonly scopes: readonly string[];
  readonly resources: readonly string[];
  readonly defaultResource: string | null;
  /** The keys for `private_key_jwt`, or the URL that publishes them. */
  readonly jwks?: JsonWebKeySet | null;
  readonly jwksUri?: string | null;
  /** A client with a metadata document has its URL as `client_id`. */
  readonly documentUrl?: string;
}

export interface JsonWebKeySet {
  readonly keys: readonly Readonly<Record<string, unknown>>[];
}

export interface ClientSecrets {
  readonly secretHash: TokenHash | null;
  readonly previousSecretHash: TokenHash | null;
  readonly previousSecretEndsAt: Date | null;
}

export class OauthClient {
  declare readonly appId: AppId;
  declare readonly id: OauthClientId;
  declare readonly name: string;
  declare readonly type: ClientType;
  declare readonly settings: ClientSettings;
  declare readonly secretHash: TokenHash | null;
  declare readonly previousSecretHash: TokenHash | null;
  declare readonly previousSecretEndsAt: Date | null;
  declare readonly createdAt: Date;
  declare readonly updatedAt: Date;

  private constructor(data: Omit<DataOf<OauthClient>, 'authMethod' | 'clientId'>) {
    Object.assign(this, data);
  }

  static create(
    appId: AppId,
    { name, type, settings }: Pick<OauthClient, 'name' | 'type' | 'settings'>,
    secretHash: TokenHash | null,
    now: Date,
    id = newId('oauthClient'),
  ): OauthClient {
    const secrets: ClientSecrets = { secretHash, previousSecretHash: null, previousSecretEndsAt: null };
    return new OauthClient({
      appId,
      id,
      name,
      type,
      settings,
      ...secrets,
      createdAt: now,
      updatedAt: now,
    });
  }

  get clientId(): string {
    return this.settings.documentUrl ?? this.id;
  }

  get authMethod(): AuthMethod {
    return this.type === 'public' ? 'none' : this.secretHash === null ? 'private_key_jwt' : 'client_secret_basic';
  }

  /** Any other program on the device may use the same redirect address, so consent is required each time. */
  isLocal(): boolean {
    return this.settings.redirectUris.some((uri) => !uri.startsWith('https:'));
  }

  change({ name, settings }: { name?: string; settings?: Partial<ClientSettings> }, now: Date): OauthClient {
    const changed = { ...this.settings, ...settings };
    return evolve<OauthClient>(this, { name: name ?? this.name, settings: changed, updatedAt: now });
  }

  /** A secret that was replaced earlier ends. */
  rotate(secretHash: TokenHash, endsAt: Date, now: Date): OauthClient {
    const previousSecretHash = endsAt > now ? this.secretHash : null;
    const previousSecretEndsAt = endsAt > now ? endsAt : null;
    return evolve<OauthClient>(this, { secretHash, previousSecretHash, previousSecretEndsAt, updatedAt: now });
  }
}

export abstract class OauthClientRepository {
  /** False if a client has this id. */
  abstract insert(client: OauthClient): Promise<boolean>;

  abstract get(appId: AppId, id: OauthClientId): Promise<OauthClient>;

  abstract lock(appId: AppId, id: OauthClientId): Promise<OauthClient>;

  /** The transaction has locked the client. */
  abstract update(client: OauthClient): Promise<void>;

  /** A client that describes itself is refused from then on. */
  abstract delete(appId: AppId, id: OauthClientId): Promise<void>;

  /** Whether the app has deleted this client that describes itself. */
  abstract isRefused(appId: AppId, id: OauthClientId): Promise<boolean>;

  abstract list(appId: AppId, page: PageRequest): Promise<Page<OauthClient>>;

  abstract deleteDescribedElsewhere(appId: AppId, hosts: readonly string[]): Promise<readonly OauthClientId[]>;

  abstract count(appId: AppId, areDescribed: boolean): Promise<number>;
}

export class ClientNotFound extends refusal('not_found', 'client_not_found', {
  message: 'The app has no such OAuth client.',
  help: 'The app has no OAuth client with this id, or it was deleted. List the clients of the app.',
}) {}

export class TooManyClients extends refusal('conflict', 'too_many_clients', {
  message: `The app has ${MOST_CLIENTS} OAuth clients, which is the maximum. Delete one first.`,
  help: 'An app has at most 1,000 OAuth clients. Delete one that is not used any more.',
}) {}

export class ClientWithoutSecret extends refusal('conflict', 'client_without_secret', {
  message: 'The client has no secret.',
  help: 'A public client, such as a page in a browser or an app on a phone, cannot keep a secret, so it has none. A client with `private_key_jwt` has keys of its own instead.',
}) {}

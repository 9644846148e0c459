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

export const MOST_CLIENTS = 1_000;

/** The purpose of the hashes of client secrets. */
export const CLIENT_SECRET = 'oauth_client_secret';

export const PKCE = ['required', 'optional'] as const;

/** The settings of a client, which operators choose. */
export interface ClientSettings {
  /** Compared exactly, but for the port of a loopback address. */
  readonly redirectUris: readonly string[];
  readonly postLogoutRedirectUris: readonly string[];
  /** `optional` is for confidential programs that cannot send a challenge. */
  readonly pkce: (typeof PKCE)[number];
  /** Whether the id_token has the claims of the scopes, or userinfo alone. */
  readonly claimsInIdToken: boolean;
  readonly logoUri: string | null;
  readonly grantTypes: readonly GrantType[];
  readonly scopes: readonly string[];
  /** The audiences for which it may ask tokens. */
  readonly resources: readonly string[];
  /** The audience of tokens for which it names none; null if there is none. */
  readonly defaultResource: string | null;
  /** The public keys of a client that authenticates by `private_key_jwt`, or where they are published. */
  readonly jwks?: JsonWebKeySet | null;
  readonly jwksUri?: string | null;
  /** The metadata document of a client that describes itself: it is the `client_id`. */
  readonly documentUrl?: string;
}

export interface JsonWebKeySet {
  readonly keys: readonly Readonly<Record<string, unknown>>[];
}

export interface ClientSecrets {
  readonly secretHash: TokenHash | null;
  /** The hash of a replaced secret, which is accepted until `previousSecretEndsAt`. */
  readonly previousSecretHash: TokenHash | null;
  readonly previousSecretEndsAt: Date | null;
}

/** A program that gets tokens of an app. Its id is its `client_id`. */
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

  /** What the protocol calls it. */
  get clientId(): string {
    return this.settings.documentUrl ?? this.id;
  }

  get authMethod(): AuthMethod {
    return this.type === 'public' ? 'none' : this.secretHash === null ? 'private_key_jwt' : 'client_secret_basic';
  }

  /** A program on the user's device: it is recognised by an address that any other program there may take, so consent is asked each time. */
  isLocal(): boolean {
    return this.settings.redirectUris.some((uri) => !uri.startsWith('https:'));
  }

  change({ name, settings }: { name?: string; settings?: Partial<ClientSettings> }, now: Date): OauthClient {
    const changed = { ...this.settings, ...settings };
    return evolve<OauthClient>(this, { name: name ?? this.name, settings: changed, updatedAt: now });
  }

  /** The replaced secret is accepted until `endsAt`, and one that was replaced before ends. */
  rotate(secretHash: TokenHash, endsAt: Date, now: Date): OauthClient {
    const previousSecretHash = endsAt > now ? this.secretHash : null;
    const previousSecretEndsAt = endsAt > now ? endsAt : null;
    return evolve<OauthClient>(this, { secretHash, previousSecretHash, previousSecretEndsAt, updatedAt: now });
  }
}

/** The clients of apps. */
export abstract class OauthClientRepository {
  /** False if there is a client with this id. */
  abstract insert(client: OauthClient): Promise<boolean>;

  /** Throws `ClientNotFound`. */
  abstract get(appId: AppId, id: OauthClientId): Promise<OauthClient>;

  /** Like `get`, and the row is locked until the transaction ends. */
  abstract lock(appId: AppId, id: OauthClientId): Promise<OauthClient>;

  /** Stores a changed client, which the transaction has locked. */
  abstract update(client: OauthClient): Promise<void>;

  /** Throws `ClientNotFound`. */
  abstract delete(appId: AppId, id: OauthClientId): Promise<void>;

  abstract list(appId: AppId, page: PageRequest): Promise<Page<OauthClient>>;

  /** Deletes the clients whose metadata documents are on other hosts than these, and returns their ids. */
  abstract deleteDescribedElsewhere(appId: AppId, hosts: readonly string[]): Promise<readonly OauthClientId[]>;

  abstract count(appId: AppId): Promise<number>;
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

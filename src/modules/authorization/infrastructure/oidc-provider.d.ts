// oidc-provider 9 ships no types; this is the part that the module and its tests use.
declare module 'oidc-provider' {
  import type { KeyObject } from 'node:crypto';
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

  export interface OidcClient {
    readonly clientId: string;
    readonly clientSecret?: string;
    readonly clientAuthMethod: string;
    readonly jwksUri?: string;
    readonly asymmetricKeyStore: { stale(): boolean; clear(): void };
    readonly redirectUris: readonly string[];
    grantTypeAllowed(type: string): boolean;
    redirectUriAllowed(uri: string): boolean;
    readonly [metadata: string]: unknown;
  }

  export interface Token {
    readonly kind: string;
    readonly clientId: string;
    readonly aud?: string;
    readonly rar?: readonly object[];
    readonly grantId?: string;
  }

  export interface NewAccessToken extends Token {
    resourceServer: object;
    scope?: string;
    readonly tokenType: string;
    readonly expiration: number;
    setThumbprint(kind: 'jkt', thumbprint: string): void;
    save(): Promise<string>;
  }

  export interface BrowserSession {
    accountId?: string;
    transient?: boolean;
    acr?: string;
    authorizations?: Record<string, { sid?: string; grantId?: string }>;
    loginAccount: (this: BrowserSession, login: Readonly<Record<string, unknown>>) => void;
    sidFor(clientId: string, value?: string): string | undefined;
  }

  export interface OidcContext {
    readonly route: string;
    readonly client?: OidcClient;
    readonly params?: Record<string, unknown>;
    readonly session?: BrowserSession;
    readonly result?: { readonly login?: object; readonly consent?: object };
    readonly grant?: { readonly resources?: Readonly<Record<string, string>>; readonly rar?: readonly object[] };
    readonly resourceServers: Readonly<Record<string, { readonly scope?: string }>>;
    redirectUriCheckPerformed?: boolean;
    entity(key: string, value: unknown): void;
    readonly entities: {
      readonly AccessToken?: object;
      readonly Interaction?: { readonly result?: { readonly login?: { readonly sid: string } } };
      IdTokenHint:
        { readonly header: { readonly kid: string }; readonly payload: Readonly<Record<string, unknown>> } | undefined;
    };
  }

  export interface KoaContext {
    readonly req: IncomingMessage;
    readonly res: ServerResponse;
    readonly method: string;
    readonly path: string;
    readonly query: Readonly<Record<string, string | string[] | undefined>>;
    readonly oidc?: OidcContext;
    status: number;
    type: string;
    body: unknown;
    set(name: string, value: string): void;
    redirect(url: string): void;
  }

  export interface Grant {
    addOIDCScope(scope: string): void;
    save(): Promise<string>;
  }

  export class ExternalSigningKey {
    kid: string;
    alg: string;
    keyObject(): KeyObject;
    sign(data: Uint8Array): Promise<Uint8Array>;
  }

  export class OIDCProviderError extends Error {
    statusCode: number;
    error_description?: string;
  }

  export const errors: {
    readonly InvalidGrant: new (description?: string) => OIDCProviderError;
    readonly InvalidAuthorizationDetails: new (description?: string) => OIDCProviderError;
    readonly InvalidClientAuth: new (description: string) => OIDCProviderError;
    readonly InvalidScope: new (description: string) => OIDCProviderError;
    readonly InvalidRequestUri: new (description?: string) => OIDCProviderError;
    readonly InvalidToken: new (description: string) => OIDCProviderError;
    readonly InvalidTarget: new (description?: string) => OIDCProviderError;
    readonly InvalidRedirectUri: new () => OIDCProviderError;
    readonly SessionNotFound: new (description?: string) => OIDCProviderError;
    readonly InvalidRequest: new (description?: string) => OIDCProviderError;
  };

  type Check = object;
  export const interactionPolicy: {
    readonly Check: new (
      reason: string,
      description: string,
      error: string,
      check: (ctx: KoaContext) => boolean,
    ) => Check;
    readonly base: () => { get(prompt: string): { readonly checks: { add(check: Check, index?: number): void } } };
  };

  export default class Provider {
    static readonly ctx: KoaContext | undefined;
    constructor(issuer: string, configuration: Readonly<Record<string, unknown>>);
    proxy: boolean;
    silent: boolean;
    callback(): (...call: Parameters<RequestListener>) => Promise<void>;
    use(middleware: (ctx: KoaContext, next: () => Promise<void>) => Promise<void>): this;
    on(event: 'server_error', listener: (ctx: KoaContext, error: unknown) => void): this;
    registerGrantType(
      name: string,
      handler: (ctx: KoaContext) => Promise<void>,
      params: readonly string[],
      mayRepeat: string,
    ): void;
    readonly AccessToken: new (token: {
      client: OidcClient;
      accountId: string;
      grantId: string;
      gty: string;
      expiresIn: number;
    }) => NewAccessToken;
    readonly ResourceServer: new (identifier: string, details: object) => object;
    pathFor(name: string, options?: Readonly<Record<string, string>>): string;
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: Readonly<Record<string, unknown>>,
    ): Promise<void>;
    readonly OIDCContext: {
      readonly prototype: {
        urlFor(name: string, options?: object): string;
        entity: (this: OidcContext & { readonly ctx: KoaContext }, key: string, value: unknown) => void;
      };
    };
    readonly ReplayDetection: { unique: (clientId: string, id: string, expiresAt: number) => Promise<boolean> };
    readonly IdToken: { validate: (jwt: string, client: OidcClient) => Promise<void> };
    readonly Session: { readonly prototype: BrowserSession };
    readonly Grant: new (owner: { accountId: string; clientId: string }) => Grant;
    readonly Client: {
      readonly prototype: {
        compareClientSecret(secret: string): Promise<boolean> | boolean;
        includeSid(): boolean;
        responseTypeAllowed: (this: OidcClient, type: string) => boolean;
      };
      readonly adapter: { upsert(id: string, metadata: Readonly<Record<string, unknown>>): Promise<void> };
    };
  }
}

declare module 'oidc-provider/lib/helpers/grants.js' {
  import type Provider from 'oidc-provider';
  import type { KoaContext } from 'oidc-provider';

  interface DpopProof {
    readonly thumbprint: string;
  }
  export function validateDpop(provider: Provider, ctx: KoaContext): Promise<DpopProof | undefined>;
  export function checkDpopReplay(
    provider: Provider,
    ctx: KoaContext,
    proof: DpopProof | undefined,
    clientId: string,
  ): Promise<void>;
  export function buildTokenResponse(provider: Provider, token: Readonly<Record<string, unknown>>): object;
}

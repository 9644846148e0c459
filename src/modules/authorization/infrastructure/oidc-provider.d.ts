// oidc-provider 9 ships no types; this is the part that the module and its tests use.
declare module 'oidc-provider' {
  import type { KeyObject } from 'node:crypto';
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

  export interface Client {
    readonly clientId: string;
    readonly clientSecret?: string;
    readonly clientAuthMethod: string;
    readonly redirectUris: readonly string[];
    /** Further metadata, by the names in `extraClientMetadata`. */
    readonly [metadata: string]: unknown;
  }

  export interface Token {
    readonly kind: string;
    readonly clientId: string;
    readonly aud?: string;
  }

  export interface OidcContext {
    readonly route: string;
    readonly client?: Client;
    readonly params?: Record<string, string | undefined>;
  }

  export interface KoaContext {
    readonly req: IncomingMessage;
    readonly res: ServerResponse;
    readonly method: string;
    readonly path: string;
    readonly oidc?: OidcContext;
    status: number;
    type: string;
    body: unknown;
    set(name: string, value: string): void;
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
    readonly InvalidTarget: new (description?: string) => OIDCProviderError;
    readonly InvalidRequest: new (description?: string) => OIDCProviderError;
  };

  export default class Provider {
    static readonly ctx: KoaContext | undefined;
    constructor(issuer: string, configuration: Readonly<Record<string, unknown>>);
    proxy: boolean;
    silent: boolean;
    callback(): (...call: Parameters<RequestListener>) => Promise<void>;
    use(middleware: (ctx: KoaContext, next: () => Promise<void>) => Promise<void>): this;
    on(event: 'server_error', listener: (ctx: KoaContext, error: unknown) => void): this;
    pathFor(name: string, options?: Readonly<Record<string, string>>): string;
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: Readonly<Record<string, unknown>>,
    ): Promise<void>;
    readonly OIDCContext: { readonly prototype: { urlFor(name: string, options?: object): string } };
    readonly Grant: new (owner: { accountId: string; clientId: string }) => Grant;
    readonly Client: {
      readonly prototype: { compareClientSecret(secret: string): Promise<boolean> | boolean };
      readonly adapter: { upsert(id: string, metadata: Readonly<Record<string, unknown>>): Promise<void> };
    };
  }
}

// oidc-provider 9 ships no types; this is the part the tests use.
declare module 'oidc-provider' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

  interface Grant {
    addOIDCScope(scope: string): void;
    save(): Promise<string>;
  }
  interface RequestContext {
    readonly oidc: {
      readonly client: { readonly clientId: string };
      readonly session: { readonly accountId: string };
      readonly params: { readonly scope: string };
    };
  }
  export default class Provider {
    constructor(issuer: string, configuration: Readonly<Record<string, unknown>>);
    callback(): RequestListener;
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: Readonly<Record<string, unknown>>,
    ): Promise<void>;
    readonly Grant: new (owner: { accountId: string; clientId: string }) => Grant;
    readonly Client: {
      readonly adapter: { upsert(id: string, metadata: Readonly<Record<string, unknown>>): Promise<void> };
    };
  }
}

declare module 'oidc-provider/lib/adapters/memory_adapter.js' {
  /** The provider's default storage, without the warning that a restart loses it. */
  export function createMemoryAdapter(): (model: string) => unknown;
}

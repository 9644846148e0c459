import type { Request } from 'express';
import OAuth2Strategy from 'passport-oauth2';
import type { ProviderEndpoints } from './providers.js';

type Done<T extends unknown[]> = (error: unknown, ...results: Partial<T>) => void;

/**
 * The Passport strategy of one login, without Passport's middleware: connections are rows, so a strategy is made per call.
 * passport-oauth2 builds the authorization URL with its PKCE pair. Its token request is not used, because it has no limit of
 * time and size, and authenticates the client in the form only.
 */
export class ProviderStrategy extends OAuth2Strategy {
  private codeVerifier = '';
  private parameters: Readonly<Record<string, string>> = {};

  constructor(
    { authorization, token }: ProviderEndpoints,
    clientID: string,
    scopes: readonly string[],
    callbackURL: string,
  ) {
    // Keeps nothing: the state was spent in one statement of ours before. The types know no store for PKCE.
    const store = {
      store: (_request: Request, codeVerifier: string, _state: unknown, _meta: unknown, done: Done<[string]>) => {
        this.codeVerifier = codeVerifier;
        done(null, this.parameters['state']);
      },
    } as unknown as OAuth2Strategy.StateStore;
    super(
      {
        authorizationURL: authorization,
        tokenURL: token,
        clientID,
        clientSecret: '',
        callbackURL,
        scope: [...scopes],
        pkce: true,
        store,
        skipUserProfile: true,
      },
      () => undefined,
    );
  }

  /** The authorization URL, and the verifier behind the code challenge in it. */
  async authorize(parameters: Readonly<Record<string, string>>): Promise<{ url: string; codeVerifier: string }> {
    this.parameters = parameters;
    const url = await new Promise<string>((resolve, reject) => {
      Object.assign(this, { redirect: resolve, error: reject });
      // Without a `code` in the query the strategy begins a login.
      this.authenticate({ query: {} } as unknown as Request);
    });
    return { url, codeVerifier: this.codeVerifier };
  }

  override authorizationParams(): object {
    return { ...this.parameters };
  }
}

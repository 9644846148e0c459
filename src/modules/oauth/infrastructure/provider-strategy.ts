import type { Request } from 'express';
import OAuth2Strategy from 'passport-oauth2';
import { ProviderRejected } from '../domain/oauth.errors.js';
import type { ProviderEndpoints } from './providers.js';

/** Exchanges the form of a token request for tokens. */
export type Exchange<T> = (form: Readonly<Record<string, string>>) => Promise<T>;

type Done<T extends unknown[]> = (error: unknown, ...results: Partial<T>) => void;

/**
 * The Passport strategy of one login, without Passport's middleware: connections are rows, so a strategy is made per call.
 * passport-oauth2 builds the authorization URL with its PKCE pair, and the form of the token request. A strategy chooses its
 * direction by a `code` or `error` in the query, so it never sees the browser's query.
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
      verify: (_request: Request, _state: unknown, done: Done<[string]>) => done(null, this.codeVerifier),
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
      (_accessToken: string, _refreshToken: string, tokens: object, _profile: unknown, done: Done<[object]>) =>
        done(null, tokens),
    );
  }

  /** The authorization URL, and the verifier behind the code challenge in it. */
  async authorize(parameters: Readonly<Record<string, string>>): Promise<{ url: string; codeVerifier: string }> {
    this.parameters = parameters;
    const url = await this.run<string>({});
    return { url, codeVerifier: this.codeVerifier };
  }

  /** Exchanges the code by `exchange` and returns what it returns. */
  redeem<T extends { readonly accessToken: string }>(
    code: string,
    codeVerifier: string,
    exchange: Exchange<T>,
  ): Promise<T> {
    this.codeVerifier = codeVerifier;
    const getOAuthAccessToken = (_code: string, form: Record<string, string>, done: Done<[string, string, T]>) => {
      exchange({ ...form, code }).then<void, void>((tokens) => done(null, tokens.accessToken, '', tokens), done);
    };
    Object.assign(this._oauth2, { getOAuthAccessToken });
    return this.run<T>({ code });
  }

  override authorizationParams(): object {
    return { ...this.parameters };
  }

  private run<T>(query: { readonly code?: string }): Promise<T> {
    return new Promise((resolve, reject) => {
      const error = (reason: unknown): void =>
        reject(reason instanceof OAuth2Strategy.InternalOAuthError ? reason.oauthError : reason);
      const fail = (): void => reject(new ProviderRejected('the exchange failed'));
      Object.assign(this, { redirect: resolve, success: resolve, error, fail });
      this.authenticate({ query, body: {} } as unknown as Request);
    });
  }
}

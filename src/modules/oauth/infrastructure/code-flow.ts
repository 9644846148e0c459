import type { Request } from 'express';
import OAuth2Strategy from 'passport-oauth2';
import { ProviderRejected } from '../domain/oauth.errors.js';
import type { Json } from './provider-http.js';
import type { Provider, ProviderEndpoints } from './providers.js';

/** What the token endpoint gave; nothing of it is verified yet. */
export interface TokenResponse {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly idToken: string | undefined;
}

/** Sends a token request and brings the answer, which has an `access_token`. */
export type TokenExchange = (form: URLSearchParams) => Promise<Json>;

/**
 * One login through passport-oauth2, without its middleware. Which leg it is on is ours to say: the strategy switches on a
 * `code` or `error` in the query, so it is never shown the query a browser sent.
 */
export class CodeFlow extends OAuth2Strategy {
  private state = '';
  private codeVerifier = '';
  private parameters: Readonly<Record<string, string>> = {};
  private reject: (reason: unknown) => void = () => undefined;

  constructor(
    { endpoints, scopes }: Provider & { readonly endpoints: ProviderEndpoints },
    clientID: string,
    callbackURL: string,
  ) {
    // The store keeps nothing: whether a state is good is settled before, in one statement of ours. The cast is because
    // the types know no store with PKCE.
    const store = {
      store: (
        _request: Request,
        codeVerifier: string,
        _state: unknown,
        _meta: unknown,
        done: (error: null, state: string) => void,
      ) => {
        this.codeVerifier = codeVerifier;
        done(null, this.state);
      },
      verify: (_request: Request, _state: unknown, done: (error: null, codeVerifier: string) => void) =>
        done(null, this.codeVerifier),
    } as unknown as OAuth2Strategy.StateStore;
    const authorizationURL = endpoints.authorization;
    super(
      {
        authorizationURL,
        tokenURL: endpoints.token,
        clientID,
        clientSecret: '',
        callbackURL,
        scope: [...scopes],
        pkce: true,
        store,
        skipUserProfile: true,
      },
      (
        accessToken: string,
        refreshToken: unknown,
        { id_token: idToken }: Json,
        _: unknown,
        done: OAuth2Strategy.VerifyCallback,
      ) => {
        const tokens: TokenResponse = {
          accessToken,
          refreshToken: typeof refreshToken === 'string' ? refreshToken : '',
          idToken: typeof idToken === 'string' ? idToken : undefined,
        };
        done(null, tokens);
      },
    );
  }

  /** The way out: the authorization URL, and the verifier behind the code challenge in it. */
  async authorize(
    state: string,
    parameters: Readonly<Record<string, string>>,
  ): Promise<{ url: string; codeVerifier: string }> {
    this.state = state;
    this.parameters = parameters;
    const url = await this.drive<string>({});
    return { url, codeVerifier: this.codeVerifier };
  }

  /** The way back: the code for tokens. */
  redeem(code: string, codeVerifier: string, exchange: TokenExchange): Promise<TokenResponse> {
    this.codeVerifier = codeVerifier;
    // Left to itself it knows no limit of time or size, takes a redirect for a success and a page for a form.
    const _request = (
      _method: string,
      _url: string,
      _headers: unknown,
      form: string,
      _token: unknown,
      done: (error: null, json: string) => void,
    ) => {
      exchange(new URLSearchParams(form))
        .then((answer) => done(null, JSON.stringify(answer)))
        .catch((reason: unknown) => this.reject(reason));
    };
    Object.assign(this._oauth2, { _request });
    return this.drive<TokenResponse>({ code });
  }

  override authorizationParams(): object {
    return { ...this.parameters };
  }

  private drive<T>(query: { readonly code?: string }): Promise<T> {
    return new Promise((resolve, reject) => {
      this.reject = reject;
      const fail = (): void => reject(new ProviderRejected('the exchange failed'));
      Object.assign(this, { redirect: resolve, success: resolve, error: reject, fail });
      this.authenticate({ query, body: {} } as unknown as Request);
    });
  }
}

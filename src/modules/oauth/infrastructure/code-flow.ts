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

export interface CodeFlowOptions {
  readonly callbackUrl: string;
  /** Way out: what the state store hands the strategy. */
  readonly state?: string;
  readonly parameters?: Readonly<Record<string, string>>;
  /** Way back: the verifier kept since the way out, and who sends the token request. Its answer has an `access_token`. */
  readonly codeVerifier?: string;
  readonly exchange?: (form: URLSearchParams) => Promise<Json>;
}

type TokenCallback = (error: unknown, data?: string) => void;

/**
 * One leg of one login through passport-oauth2, without its middleware. Which leg is ours to say: the strategy switches on a
 * `code` in the query, so it is never shown the query a browser sent.
 */
export class CodeFlow extends OAuth2Strategy {
  codeVerifier: string;

  constructor(
    { endpoints, scopes }: Provider & { readonly endpoints: ProviderEndpoints },
    clientID: string,
    private readonly options: CodeFlowOptions,
  ) {
    // The types know neither PKCE stores nor their signature. The store keeps nothing: whether the state is good was
    // settled before, in one statement.
    const store = {
      store: (
        _request: Request,
        codeVerifier: string,
        _state: unknown,
        _meta: unknown,
        done: (error: null, state?: string) => void,
      ) => {
        this.codeVerifier = codeVerifier;
        done(null, options.state);
      },
      verify: (_request: Request, _state: unknown, done: (error: null, codeVerifier: string) => void) =>
        done(null, this.codeVerifier),
    } as unknown as OAuth2Strategy.StateStore;
    super(
      {
        authorizationURL: endpoints.authorization,
        tokenURL: endpoints.token,
        clientID,
        clientSecret: '',
        callbackURL: options.callbackUrl,
        scope: [...scopes],
        pkce: true,
        store,
        skipUserProfile: true,
      },
      (
        accessToken: string,
        refreshToken: string,
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
    this.codeVerifier = options.codeVerifier ?? '';
  }

  /** Resolves with the authorization URL, or with the tokens when there is a code to exchange. */
  run<T extends string | TokenResponse>(query: { readonly code?: string }): Promise<T> {
    return new Promise((resolve, reject) => {
      const fail = (challenge: unknown) => reject(new ProviderRejected(`the exchange failed: ${String(challenge)}`));
      Object.assign(this, { redirect: resolve, success: resolve, error: reject, fail });
      // `oauth` would follow no limit of time or size and take a redirect for a success. What it would parse was parsed before.
      const send = (
        _method: string,
        _url: string,
        _headers: unknown,
        body: string,
        _token: unknown,
        done: TokenCallback,
      ) => {
        this.options.exchange!(new URLSearchParams(body))
          .then((answer) => done(null, JSON.stringify(answer)))
          .catch(reject);
      };
      Object.assign(this._oauth2, { _request: send });
      this.authenticate({ query, body: {} } as unknown as Request);
    });
  }

  override authorizationParams(): object {
    return { ...this.options.parameters };
  }
}

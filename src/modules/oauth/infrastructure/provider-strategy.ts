import type { Request } from 'express';
import type { ClientAuth } from 'oauth4webapi';
import OAuth2Strategy from 'passport-oauth2';
import { ProviderRejected } from '../domain/oauth.errors.js';
import type { ProviderClient, ProviderStatements, VerifiedTokens } from './provider-client.js';

/** What a completed code flow yields. */
export interface Redeemed extends VerifiedTokens, ProviderStatements {}

export interface Redemption {
  readonly nonce: string;
  readonly codeVerifier: string;
  readonly authentications: readonly ClientAuth[];
}

type Done<T extends unknown[]> = (error: unknown, ...results: Partial<T>) => void;

/**
 * The Passport strategy of one login, without Passport's middleware: connections are rows, so a strategy is made per call.
 * passport-oauth2 builds the authorization URL with its PKCE pair and runs the exchange; `ProviderClient` sends and
 * verifies. The strategy chooses its direction by a `code` or `error` in the query, so it never sees the browser's query.
 */
export class ProviderStrategy extends OAuth2Strategy {
  private codeVerifier = '';
  private parameters: Readonly<Record<string, string>> = {};
  private redeemed?: VerifiedTokens;

  constructor(
    private readonly provider: ProviderClient,
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
        authorizationURL: provider.endpoints.authorization,
        tokenURL: provider.endpoints.token,
        clientID: provider.clientId,
        clientSecret: '',
        callbackURL,
        scope: [...scopes],
        pkce: true,
        store,
      },
      (
        _accessToken: string,
        _refreshToken: string,
        tokens: VerifiedTokens,
        statements: ProviderStatements,
        done: Done<[Redeemed]>,
      ) => done(null, { ...tokens, ...statements }),
    );
  }

  /** The authorization URL, and the verifier behind the code challenge in it. */
  async authorize(parameters: Readonly<Record<string, string>>): Promise<{ url: string; codeVerifier: string }> {
    this.parameters = parameters;
    const url = await this.run<string>({});
    return { url, codeVerifier: this.codeVerifier };
  }

  /** Exchanges the code for verified tokens, and asks who they belong to. */
  redeem(code: string, { nonce, codeVerifier, authentications }: Redemption): Promise<Redeemed> {
    this.codeVerifier = codeVerifier;
    const getOAuthAccessToken = (
      _code: string,
      form: Record<string, string>,
      done: Done<[string, string, VerifiedTokens]>,
    ) => {
      this.provider.tokens({ ...form, code }, nonce, authentications).then<void, void>((tokens) => {
        this.redeemed = tokens;
        done(null, tokens.accessToken, tokens.refreshToken, tokens);
      }, done);
    };
    Object.assign(this._oauth2, { getOAuthAccessToken });
    return this.run<Redeemed>({ code });
  }

  override userProfile(_accessToken: string, done: Done<[ProviderStatements]>): void {
    this.provider.statements(this.redeemed!).then<void, void>((statements) => done(null, statements), done);
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

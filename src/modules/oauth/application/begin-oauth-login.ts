import { Injectable } from '@nestjs/common';
import { InvalidRequest } from '../../../kernel/errors.js';
import type { AppId } from '../../../kernel/ids.js';
import { SecretTokens } from '../../../kernel/secret-tokens.js';
import { Vault } from '../../../kernel/vault.js';
import { AppsFacade, OauthConnectionNotFound, NoDefaultRedirectUrl, InvalidRedirectUrl } from '../../apps/index.js';
import { IdentityProvider } from '../domain/identity-provider.js';
import { OauthProviderNotFound, ProviderRejected, ProviderUnavailable } from '../domain/oauth.errors.js';
import { OauthLoginRepository, verifierContext } from '../domain/login-ticket.js';
import { refusalAt } from './complete-oauth-login.js';

export interface LoginOptions {
  readonly loginUrl?: string;
  readonly registrationUrl?: string;
  readonly codeChallenge?: string;
  /** False when a backend calls on behalf of a browser. */
  readonly inBrowser: boolean;
}

export interface BegunLogin {
  readonly url: string;
  /** Null if no browser is bound, or the provider failed. */
  readonly binding: { readonly state: string; readonly token: string; readonly postsBack: boolean } | null;
}

@Injectable()
export class BeginOauthLogin {
  static readonly refusals = [
    OauthProviderNotFound,
    OauthConnectionNotFound,
    NoDefaultRedirectUrl,
    InvalidRedirectUrl,
    ProviderRejected,
    ProviderUnavailable,
  ];

  constructor(
    private readonly apps: AppsFacade,
    private readonly provider: IdentityProvider,
    private readonly logins: OauthLoginRepository,
    private readonly tokens: SecretTokens,
    private readonly vault: Vault,
  ) {}

  /** When the provider fails, a browser goes back to the app and a backend gets the error. */
  async execute(appId: AppId, provider: string, options: LoginOptions): Promise<BegunLogin> {
    const isBound = options.inBrowser || options.codeChallenge !== undefined;
    if (!isBound && (await this.apps.settings(appId)).oauthBegin === 'bound') throw unbound('is required by the app');
    const connection = await this.apps.connection(appId, provider);
    if (!connection)
      throw this.provider.isBuiltIn(provider) ? new OauthConnectionNotFound() : new OauthProviderNotFound();
    // Without PKCE the provider ties the code to no login, so the service ties the login to its browser.
    if (!isBound && !connection.sendsPkce)
      throw unbound('is required without redirect=true, because logins at this provider send no PKCE');
    const loginUrl = await this.apps.redirectUrl(appId, 'login', options.loginUrl);
    const registrationUrl = await this.apps.redirectUrl(appId, 'registration', options.registrationUrl);

    await this.vault.ready(appId);
    const state = this.tokens.mint();
    const nonce = this.tokens.mint();
    const browserToken = options.inBrowser ? this.tokens.mint() : null;
    try {
      const { url, codeVerifier, postsBack } = await this.provider.begin(connection, { state, nonce });
      const stateHash = this.tokens.hash('oauth_state', state);
      await this.logins.addState({
        appId,
        stateHash,
        connectionId: connection.id,
        loginUrl,
        registrationUrl,
        sealedVerifier: this.vault.seal(Buffer.from(codeVerifier), verifierContext(appId, stateHash)),
        nonce,
        browserHash: browserToken === null ? null : this.tokens.hash('oauth_browser', browserToken),
        codeChallenge: options.codeChallenge ?? null,
      });
      return { url, binding: browserToken === null ? null : { state, token: browserToken, postsBack } };
    } catch (error) {
      const isOfProvider = error instanceof ProviderUnavailable || error instanceof ProviderRejected;
      if (!isOfProvider || !options.inBrowser) throw error;
      return { url: refusalAt(loginUrl, error), binding: null };
    }
  }
}

function unbound(message: string): InvalidRequest {
  return new InvalidRequest([{ field: 'code_challenge', rule: 'required', message }]);
}

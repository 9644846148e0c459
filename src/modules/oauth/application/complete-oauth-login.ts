import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error.js';
import { KeysUnavailable } from '../../../kernel/errors.js';
import type { OauthConnectionId } from '../../../kernel/ids.js';
import { Log } from '../../../kernel/log.js';
import { withParameters } from '../../../kernel/query-parameters.js';
import { Refusals } from '../../../kernel/refusals.js';
import { SecretTokens } from '../../../kernel/secret-tokens.js';
import { Transactions } from '../../../kernel/transactions.js';
import { Vault } from '../../../kernel/vault.js';
import { AppsFacade, NoDefaultRedirectUrl, type OauthConnection } from '../../apps/index.js';
import { AccountExists, SignInWithProvider } from '../../identity/index.js';
import { SessionFacade } from '../../session/index.js';
import { type AuthorizationResponse, IdentityProvider, type ProviderLogin } from '../domain/identity-provider.js';
import {
  LINKING_TOKEN,
  LOGIN_TOKEN,
  providerTokensContext,
  TICKET_MINUTES,
  OauthLoginRepository,
  type ReturnedState,
  verifierContext,
} from '../domain/login-ticket.js';
import {
  InvalidOauthState,
  OauthBrowserMismatch,
  OauthStateExpired,
  ProviderRejected,
} from '../domain/oauth.errors.js';
import { factorOf } from './verify-oauth-token.js';

export interface ReturningBrowser {
  readonly state: string;
  readonly response: AuthorizationResponse;
  readonly token?: string;
  readonly network: string;
  readonly requestId: string;
}

@Injectable()
export class CompleteOauthLogin {
  constructor(
    private readonly apps: AppsFacade,
    private readonly providerSignIn: SignInWithProvider,
    private readonly provider: IdentityProvider,
    private readonly logins: OauthLoginRepository,
    private readonly sessions: SessionFacade,
    private readonly transactions: Transactions,
    private readonly tokens: SecretTokens,
    private readonly vault: Vault,
    private readonly refusals: Refusals,
    private readonly log: Log,
  ) {}

  /** Where to send the browser: to the app with a token or an error. A URL that was deleted since the login began is not used. */
  async execute(connectionId: OauthConnectionId, browser: ReturningBrowser): Promise<string> {
    // The state before the connection: an invented callback costs one statement.
    const appId = await this.apps.appOfConnection(connectionId);
    if (!appId) throw new InvalidOauthState();
    await this.vault.ready(appId);
    // The state is spent before the response is checked: it is good for one callback of its browser, even a wrong one.
    const stateHash = this.tokens.hash('oauth_state', browser.state);
    const browserHash = browser.token === undefined ? null : this.tokens.hash('oauth_browser', browser.token);
    const state = await this.logins.consumeState(appId, connectionId, stateHash, browserHash);
    const connection = state && (await this.apps.connectionById(connectionId));
    if (!state || !connection) throw new InvalidOauthState();
    const loginUrl = await this.apps.currentRedirectUrl(state.appId, 'login', state.loginUrl);
    try {
      assertBegunHere(state);
      const codeVerifier = this.vault
        .open(state.sealedVerifier, verifierContext(state.appId, state.stateHash))
        .toString();
      const login = await this.provider.complete(connection, browser.response, { nonce: state.nonce, codeVerifier });
      return await this.issueTicket(connection, { ...state, loginUrl }, login);
    } catch (error) {
      // An outage is no refusal of the login, and says nothing that the app's page could show.
      if (!(error instanceof DomainError) || error instanceof NoDefaultRedirectUrl || error instanceof KeysUnavailable)
        throw error;
      const { network, requestId } = browser;
      this.refusals.report({ appId: state.appId, network, requestId, refusal: error });
      return refusalAt(loginUrl, error);
    }
  }

  private async issueTicket(connection: OauthConnection, state: ReturnedState, login: ProviderLogin): Promise<string> {
    const { appId, id: connectionId, provider, trustsEmail, emailDomains, issuer, userinfo } = connection;
    const { subject, email, firstName, middleName, lastName, accessToken, refreshToken, userinfoDenial } = login;
    const token = this.tokens.mint();
    const issued = Buffer.from(JSON.stringify({ accessToken, refreshToken }));
    const hashed = (purpose: string) => {
      const tokenHash = this.tokens.hash(purpose, token);
      return { tokenHash, sealedTokens: this.vault.seal(issued, providerTokensContext(appId, tokenHash)) };
    };
    const { codeChallenge, loginUrl } = state;
    const isBrowserBound = state.browserHash !== null || codeChallenge !== null;
    const ticket = { appId, connectionId, provider, subject, codeChallenge, isBrowserBound };
    const asserted = email && {
      address: email.address,
      proven: email.isVerified && trustsEmail,
      domains: emailDomains,
      isIssuerEntered: issuer !== null,
    };
    const name = { firstName, middleName, lastName };
    // Without the email that userinfo may have, a person who has an account would become another user.
    const refusalOfNew =
      userinfoDenial !== null && email === null && userinfo === 'required'
        ? new ProviderRejected(`the userinfo endpoint answered ${userinfoDenial}, and the id_token has no email`)
        : undefined;
    try {
      const url = await this.transactions.run(async () => {
        const person = { ...name, ...(asserted && { email: asserted }), ...(refusalOfNew && { refusalOfNew }) };
        const signIn = { connectionId, provider, subject, ...person };
        const user = await this.providerSignIn.execute(appId, signIn);
        const { userId, providerIdentityId, userCreated, prepared } = user;
        if (user.identityAdded) await this.sessions.announceFactor(appId, userId, factorOf(ticket, providerIdentityId));
        const outcome = { userId, providerIdentityId, userCreated, prepared };
        await this.logins.addTicket({ ...ticket, ...hashed(LOGIN_TOKEN), ...outcome }, TICKET_MINUTES);
        if (!userCreated) return loginUrl;
        return this.apps.currentRedirectUrl(appId, 'registration', state.registrationUrl);
      });
      return withParameters(url, { token });
    } catch (error) {
      if (error instanceof ProviderRejected) {
        const { code: error_type, reason } = error;
        this.log.warn(
          { app_id: appId, connection_id: connectionId, provider, error_type, reason },
          'identity provider',
        );
      }
      // Only the page that began the login has the verifier: otherwise another page could add an attacker's identity to a signed-in user.
      if (!(error instanceof AccountExists) || codeChallenge === null) throw error;
      const outcome = { userId: error.holderId, providerIdentityId: null, userCreated: false, prepared: null };
      await this.logins.addTicket({ ...ticket, ...hashed(LINKING_TOKEN), ...outcome }, TICKET_MINUTES);
      return withParameters(refusalAt(loginUrl, error), { token });
    }
  }
}

/** Otherwise an attacker could make a victim's browser complete the attacker's login (GHSA-x445-f3h2-j279). */
function assertBegunHere({ isFresh, isOfBrowser }: ReturnedState): void {
  if (!isFresh) throw new OauthStateExpired();
  if (!isOfBrowser) throw new OauthBrowserMismatch();
}

/** The app's login URL with a refusal in the parameters of RFC 6749, section 4.1.2.1. */
export function refusalAt(loginUrl: string, refusal: DomainError): string {
  return withParameters(loginUrl, { error: refusal.code, error_description: refusal.message });
}

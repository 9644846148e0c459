import { Injectable } from '@nestjs/common';
import type { AppId } from '../../../kernel/ids.js';
import { SecretTokens } from '../../../kernel/secret-tokens.js';
import { Transactions } from '../../../kernel/transactions.js';
import { Vault } from '../../../kernel/vault.js';
import { type Factor, type IssuedSession, type SessionArguments, SessionFacade } from '../../session/index.js';
import { isProvedBy, type LoginTicket, providerTokensContext } from '../domain/login-ticket.js';
import { InvalidOauthToken } from '../domain/oauth.errors.js';
import { OauthLoginRepository } from '../domain/oauth-login.repository.js';

/** A completed login, as the app receives it. */
export interface VerifiedLogin {
  readonly ticket: LoginTicket;
  /** What the provider issued. The service has no copy after the answer. */
  readonly providerTokens: { readonly accessToken: string; readonly refreshToken: string };
  readonly session: IssuedSession | null;
}

@Injectable()
export class VerifyOauthToken {
  constructor(
    private readonly logins: OauthLoginRepository,
    private readonly sessions: SessionFacade,
    private readonly transactions: Transactions,
    private readonly tokens: SecretTokens,
    private readonly vault: Vault,
  ) {}

  /** Spends the ticket and issues the session in one transaction: a refused session or a broken seal leaves the ticket unspent. */
  async execute(
    appId: AppId,
    { token, codeVerifier }: { readonly token: string; readonly codeVerifier?: string },
    sessionArguments: SessionArguments,
  ): Promise<VerifiedLogin> {
    const intent = await this.sessions.resolve(appId, sessionArguments);
    return this.transactions.run(async () => {
      const ticket = await this.logins.consumeTicket(appId, this.tokens.hash('oauth_token', token));
      if (!ticket || !isProvedBy(codeVerifier, ticket)) throw new InvalidOauthToken(ticket?.userId);
      const opened = this.vault.open(ticket.sealedTokens, providerTokensContext(appId, ticket.tokenHash));
      const providerTokens = JSON.parse(opened.toString()) as VerifiedLogin['providerTokens'];
      const session = await this.sessions.addFactor(appId, intent, ticket.userId, factorOf(ticket));
      return { ticket, session, providerTokens };
    });
  }
}

function factorOf({ provider, providerIdentityId, subject }: LoginTicket): Factor {
  return {
    type: 'oauth',
    deliveryChannel: `${provider}_oauth`,
    method: { type: 'oauth', identityId: providerIdentityId, providerSubject: subject },
  };
}

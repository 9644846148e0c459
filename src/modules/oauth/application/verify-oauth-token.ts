import { Injectable } from '@nestjs/common';
import type { AppId, ProviderIdentityId } from '../../../kernel/ids.js';
import { SecretTokens } from '../../../kernel/secret-tokens.js';
import { Transactions } from '../../../kernel/transactions.js';
import { Vault } from '../../../kernel/vault.js';
import {
  type Factor,
  InvalidSession,
  type IssuedSession,
  type SessionArguments,
  SessionFacade,
  type SessionIntent,
} from '../../session/index.js';
import {
  isProvedBy,
  LINKING_TOKEN,
  LOGIN_TOKEN,
  type LoginTicket,
  OauthLoginRepository,
  providerTokensContext,
} from '../domain/login-ticket.js';
import { AccountExists, SignInWithProvider, StepUpRequired } from '../../identity/index.js';
import { InvalidOauthToken } from '../domain/oauth.errors.js';

export interface VerifiedLogin {
  readonly ticket: LoginTicket;
  /** The service has no copy after the response. */
  readonly providerTokens: { readonly accessToken: string; readonly refreshToken: string };
  readonly session: IssuedSession | null;
}

@Injectable()
export class VerifyOauthToken {
  static readonly refusals = [InvalidOauthToken, AccountExists, ...SessionFacade.refusals, StepUpRequired];

  constructor(
    private readonly logins: OauthLoginRepository,
    private readonly sessions: SessionFacade,
    private readonly providerSignIn: SignInWithProvider,
    private readonly transactions: Transactions,
    private readonly tokens: SecretTokens,
    private readonly vault: Vault,
  ) {}

  /** A refusal leaves the ticket unspent: a stolen token without its verifier must not void the login. */
  async execute(
    appId: AppId,
    { token, codeVerifier }: { readonly token: string; readonly codeVerifier?: string },
    sessionArguments: SessionArguments,
  ): Promise<VerifiedLogin> {
    const intent = await this.sessions.resolve(appId, sessionArguments);
    await this.vault.ready(appId);
    return this.transactions.run(async () => {
      const hashes = [LOGIN_TOKEN, LINKING_TOKEN].map((purpose) => this.tokens.hash(purpose, token));
      const ticket =
        (await this.logins.consumeTicket(appId, hashes[0]!)) ?? (await this.logins.consumeTicket(appId, hashes[1]!));
      if (!ticket || !isProvedBy(codeVerifier, ticket)) throw new InvalidOauthToken(ticket?.userId);
      const opened = this.vault.open(ticket.sealedTokens, providerTokensContext(appId, ticket.tokenHash));
      const providerTokens = JSON.parse(opened.toString()) as VerifiedLogin['providerTokens'];
      const identityId = ticket.providerIdentityId ?? (await this.addIdentity(ticket, intent));
      const method = { isAdded: ticket.providerIdentityId === null };
      const session = await this.sessions.addFactor(appId, intent, ticket.userId, factorOf(ticket, identityId), method);
      return { ticket, session, providerTokens };
    });
  }

  /** The user's own session is the consent that the account gains a further way to sign in. */
  private addIdentity(ticket: LoginTicket, intent: SessionIntent): Promise<ProviderIdentityId> {
    const { appId, userId } = ticket;
    const session = this.sessions.carriedBy(appId, intent);
    if (session === null) throw new AccountExists(userId);
    if (session.userId !== userId) throw new InvalidSession();
    return this.providerSignIn.addTo(appId, session, ticket);
  }
}

/** The session factor of an identity at a provider; its type is declared in `oauth.module.ts`. */
export function factorOf(
  { provider, subject }: Pick<LoginTicket, 'provider' | 'subject'>,
  identityId: ProviderIdentityId,
): Factor {
  return {
    type: 'oauth',
    deliveryChannel: `${provider}_oauth`,
    method: { type: 'oauth', identityId, providerSubject: subject },
  };
}

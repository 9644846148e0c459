import { Injectable } from '@nestjs/common';
import { Clock, epochSeconds } from '../../../kernel/clock.js';
import { DomainEvents } from '../../../kernel/domain-events.js';
import { InvalidRequest, InvalidSession } from '../../../kernel/errors.js';
import { type AppId, type GrantId, newId, type UserId } from '../../../kernel/ids.js';
import { Jobs } from '../../../kernel/jobs.js';
import { SecretTokens } from '../../../kernel/secret-tokens.js';
import { StepUpRequired } from '../../../kernel/step-up-required.js';
import { Transactions } from '../../../kernel/transactions.js';
import { IdentityFacade } from '../../identity/index.js';
import { Budgets, TokenPolicies, type WalletSpend } from '../../policy/index.js';
import { SessionFacade } from '../../session/index.js';
import { authenticationOf, meets, type Authentication } from '../domain/authentication.js';
import { GrantCreated } from '../domain/authorization.events.js';
import { type Budget, type GrantedScopes, GrantRepository } from '../domain/grant.js';
import { type Interaction, type InteractionResult, Interactions, type REJECTIONS } from '../domain/interaction.js';
import { clientIdOf } from '../domain/metadata-document.js';
import { type OauthClient, OauthClientRepository } from '../domain/oauth-client.js';
import { canonicalAudience, OauthResourceRepository } from '../domain/oauth-resource.js';
import { OFFLINE_ACCESS, USER_SCOPES } from '../domain/oauth-scope.js';

export interface ShownInteraction {
  readonly interaction: Interaction;
  readonly client: OauthClient;
  readonly requested: GrantedScopes;
  readonly spend: WalletSpend | null;
}

export interface Acceptance {
  readonly session: { readonly token?: string; readonly jwt?: string };
  readonly grantedScopes?: readonly string[];
  readonly remember: boolean;
}

export const END_BUDGET = 'authorization.end-budget';

@Injectable()
export class AnswerInteraction {
  constructor(
    private readonly interactions: Interactions,
    private readonly clients: OauthClientRepository,
    private readonly resources: OauthResourceRepository,
    private readonly grants: GrantRepository,
    private readonly sessions: SessionFacade,
    private readonly identity: IdentityFacade,
    private readonly budgets: Budgets,
    private readonly policies: TokenPolicies,
    private readonly jobs: Jobs,
    private readonly tokens: SecretTokens,
    private readonly events: DomainEvents,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {}

  async show(appId: AppId, id: string): Promise<ShownInteraction> {
    const interaction = await this.interactions.get(appId, id);
    const client = await this.clients.get(appId, clientIdOf(appId, interaction.params.client_id)!);
    const scopes = interaction.params.scope?.split(' ') ?? [];
    const resources: Record<string, string[]> = {};
    for (const audience of [interaction.params.resource ?? []].flat()) {
      const canonical = canonicalAudience(audience)!;
      const resource = await this.resources.ofAudience(appId, canonical);
      resources[canonical] = scopes.filter((scope) => resource?.scopes.includes(scope));
    }
    const user = scopes.filter((each) => USER_SCOPES.includes(each));
    const { authorization_details: details } = interaction.params;
    const spend = details === undefined ? null : (JSON.parse(details) as [WalletSpend])[0];
    return { interaction, client, requested: { user, resources }, spend };
  }

  /** The login page sends the browser to the returned URL. It works once, and only in the browser that began. */
  async accept(appId: AppId, id: string, acceptance: Acceptance): Promise<string> {
    const { interaction, client, requested, spend } = await this.show(appId, id);
    const named = await this.sessions.resolve(appId, acceptance.session);
    if (named.kind !== 'join') throw new InvalidSession();
    const { id: sessionId, userId } = named.session;
    const { granted, rejected } = split(requested, acceptance.grantedScopes);
    const isLocal = client.isLocal();
    return this.answered(appId, interaction, async () => {
      // An end of all sessions locks the user, so either it sees the grant, or the session is not live any more.
      await this.identity.holdActive(appId, userId);
      const session = await this.sessions.liveOf(appId, sessionId);
      if (!session) throw new InvalidSession();
      const authentication = authenticationOf(Object.values(session.factors));
      this.requireProof(interaction, authentication);
      const grantId = newId('grant');
      const isOffline = granted.user.includes(OFFLINE_ACCESS);
      const parties = { appId, id: grantId, userId, clientId: client.id, sessionId };
      const sessionEndsAt = session.expiresAt;
      const budget = spend && (await this.open(appId, grantId, userId, spend));
      const given = { ...granted, ...(budget && { budget }) };
      await this.grants.insert({ ...parties, granted: given, rejected, isOffline, sessionEndsAt });
      await this.events.publish(new GrantCreated(appId, { grant_id: grantId, user_id: userId, client_id: client.id }));
      const { acr, amr, time } = authentication;
      const remember = acceptance.remember && !isLocal;
      return {
        login: { accountId: userId, ts: time, acr, amr, remember, sid: sessionId },
        consent: { grantId },
      };
    });
  }

  async reject(appId: AppId, id: string, error: (typeof REJECTIONS)[number]): Promise<string> {
    const interaction = await this.interactions.get(appId, id);
    const error_description = 'the login page of the app has refused';
    return this.answered(appId, interaction, async () => ({ error, error_description }));
  }

  private async open(appId: AppId, grantId: GrantId, userId: UserId, asked: WalletSpend): Promise<Budget> {
    // Since the request the app may have lost an asset.
    const { spend, rules } = await this.budgets.read(appId, asked);
    const { wallet_id: walletId, expires_in: seconds } = spend;
    const policyId = await this.policies.open(appId, grantId, { userId, walletId, rules });
    const endsAt = (await this.grants.now()) + seconds;
    this.jobs.enqueue({ kind: END_BUDGET, appId, payload: { appId, grantId }, runAt: new Date(endsAt * 1_000) });
    return { policyId, walletId, spend: asked, endsAt };
  }

  private async answered(
    appId: AppId,
    { id, returnTo }: Interaction,
    result: () => Promise<InteractionResult>,
  ): Promise<string> {
    const secret = this.tokens.mint();
    await this.transactions.run(async () => this.interactions.answer(appId, id, await result(), secret));
    return `${returnTo}?secret=${secret}`;
  }

  private requireProof({ params, iat }: Interaction, { acr, time }: Authentication): void {
    const since = params.prompt?.split(' ').includes('login')
      ? iat
      : params.max_age === undefined
        ? 0
        : Math.min(iat, epochSeconds(this.clock.now()) - Number(params.max_age));
    if (time < since)
      throw new StepUpRequired(
        'The request asks for a newer sign-in. Let the user sign in again, and send that session.',
      );
    if (!meets(acr, params.acr_values))
      throw new StepUpRequired(
        `The request asks for a stronger sign-in (${params.acr_values}). Let the user prove a further factor in the session.`,
      );
  }
}

function split(requested: GrantedScopes, chosen: readonly string[] | undefined) {
  const all = new Set([...requested.user, ...Object.values(requested.resources).flat()]);
  const foreign = chosen?.findIndex((scope) => !all.has(scope)) ?? -1;
  if (foreign !== -1) {
    const message = 'must be a scope that the interaction asks for';
    throw new InvalidRequest([{ field: `granted_scopes[${foreign}]`, rule: 'one_of', message }]);
  }
  const part = (isPart: (scope: string) => boolean): GrantedScopes => ({
    user: requested.user.filter(isPart),
    resources: Object.fromEntries(
      Object.entries(requested.resources).map(([audience, scopes]) => [audience, scopes.filter(isPart)]),
    ),
  });
  const isGranted = (scope: string): boolean => chosen?.includes(scope) ?? true;
  return { granted: part(isGranted), rejected: part((scope) => !isGranted(scope)) };
}

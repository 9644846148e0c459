import { type MiddlewareConsumer, Module, type NestModule, type OnModuleInit } from '@nestjs/common';
import { CallTokens } from '../../edge/auth/call-tokens.js';
import { Clock, epochSeconds } from '../../kernel/clock.js';
import { Jobs } from '../../kernel/jobs.js';
import type { AppId, GrantId } from '../../kernel/ids.js';
import { DomainEvents } from '../../kernel/domain-events.js';
import { ObjectOwners } from '../../kernel/object-owners.js';
import { Retention } from '../../kernel/retention.js';
import { Transactions } from '../../kernel/transactions.js';
import { AppsModule, type AskedSetting, ModuleSettings } from '../apps/index.js';
import { AccountPassed, IdentityModule, UserDeactivated, UserDeleted } from '../identity/index.js';
import { PolicyModule } from '../policy/index.js';
import { AllSessionsEnded, SessionModule } from '../session/index.js';
import { AnswerInteraction, END_BUDGET } from './application/answer-interaction.js';
import { ManageClients } from './application/manage-clients.js';
import { ManageGrants } from './application/manage-grants.js';
import { ManageResources } from './application/manage-resources.js';
import { AccessTokens } from './domain/access-token.js';
import {
  AUTHORIZATION_SERVER,
  type AuthorizationServerSettings,
  requireHosts,
  requireLoginUrl,
} from './domain/authorization-server.js';
import { CLOSE_BUDGETS, type EndedGrant, GrantRepository } from './domain/grant.js';
import { Interactions } from './domain/interaction.js';
import { OauthClientRepository } from './domain/oauth-client.js';
import { OauthResourceRepository } from './domain/oauth-resource.js';
import { AuthorizationServerRequest, AuthorizationServerResponse } from './http/authorization-server.dto.js';
import { GrantsController, ManagedGrantsController } from './http/grants.controller.js';
import { InteractionsController } from './http/interactions.controller.js';
import { OauthClientsController } from './http/oauth-clients.controller.js';
import { OauthResourcesController } from './http/oauth-resources.controller.js';
import { ApiTokens } from './infrastructure/api-tokens.js';
import { Artifacts } from './infrastructure/artifacts.js';
import './infrastructure/personal-data.js';
import { MetadataDocuments } from './infrastructure/metadata-documents.js';
import { PostgresGrantRepository } from './infrastructure/postgres-grant.repository.js';
import { PostgresOauthClientRepository } from './infrastructure/postgres-oauth-client.repository.js';
import { PostgresOauthResourceRepository } from './infrastructure/postgres-oauth-resource.repository.js';
import { Providers } from './infrastructure/providers.js';
import { SignedAccessTokens } from './infrastructure/signed-access-tokens.js';
import { TokenExchange } from './infrastructure/token-exchange.js';
import { UserClaims } from './infrastructure/user-claims.js';
import { Oauth2Endpoints } from './oauth2-endpoints.js';

@Module({
  imports: [AppsModule, IdentityModule, PolicyModule, SessionModule],
  controllers: [
    InteractionsController,
    GrantsController,
    ManagedGrantsController,
    OauthClientsController,
    OauthResourcesController,
  ],
  providers: [
    { provide: OauthClientRepository, useClass: PostgresOauthClientRepository },
    { provide: OauthResourceRepository, useClass: PostgresOauthResourceRepository },
    { provide: AccessTokens, useClass: SignedAccessTokens },
    { provide: GrantRepository, useClass: PostgresGrantRepository },
    ApiTokens,
    Artifacts,
    { provide: Interactions, useExisting: Artifacts },
    AnswerInteraction,
    ManageGrants,
    TokenExchange,
    UserClaims,
    ManageClients,
    ManageResources,
    MetadataDocuments,
    Providers,
  ],
})
export class AuthorizationModule implements NestModule, OnModuleInit {
  constructor(
    private readonly moduleSettings: ModuleSettings,
    private readonly retention: Retention,
    private readonly events: DomainEvents,
    private readonly grants: GrantRepository,
    private readonly manageGrants: ManageGrants,
    private readonly manageClients: ManageClients,
    private readonly artifacts: Artifacts,
    private readonly owners: ObjectOwners,
    private readonly jobs: Jobs,
    private readonly transactions: Transactions,
    private readonly callTokens: CallTokens,
    private readonly apiTokens: ApiTokens,
    private readonly clock: Clock,
  ) {}

  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(Oauth2Endpoints).forRoutes('oauth2/*path', '.well-known/oauth-authorization-server/*path');
  }

  onModuleInit(): void {
    this.retention.register({ table: 'authorization_revoked_tokens', endedWhen: 'expires_at' });
    // A caller who knows a client and its redirect URL may begin interactions.
    this.retention.register({ table: 'authorization_artifacts', endedWhen: 'expires_at', everySeconds: 60 });
    // A session lives for a year at most; a grant with `offline_access` for 30 days after its last use.
    this.retention.register({ table: 'authorization_grants', endedWhen: 'used_at', after: '366 days' });
    this.owners.register({ kind: 'grant', table: 'authorization_grants' });
    this.callTokens.register(this.apiTokens);
    this.jobs.handle(END_BUDGET, async ({ appId, grantId }) => {
      await this.transactions.run(() => this.grants.end(appId as AppId, grantId as GrantId));
    });
    this.jobs.handle(CLOSE_BUDGETS, ({ appId, grants }) =>
      this.transactions.run(() => this.grants.closeBudgets(appId as AppId, grants as EndedGrant[])),
    );
    const end = async ({ appId, userId }: AllSessionsEnded): Promise<void> =>
      void (await this.manageGrants.endAllOf(appId, userId));
    this.events.subscribe(UserDeactivated, end);
    this.events.subscribe(UserDeleted, end);
    this.events.subscribe(AllSessionsEnded, end);
    this.events.subscribe(AccountPassed, async (passed) => {
      passed.addEnded(await this.manageGrants.endAllOf(passed.appId, passed.userId));
    });
    this.moduleSettings.register({
      field: AUTHORIZATION_SERVER,
      change: (
        current: AuthorizationServerSettings | null,
        { login_url, client_metadata_hosts: hosts }: AuthorizationServerRequest,
      ) => ({
        loginUrl: requireLoginUrl(login_url),
        metadataHosts: hosts ? requireHosts(hosts) : (current?.metadataHosts ?? []),
        since: current?.since ?? epochSeconds(this.clock.now()),
      }),
      show: AuthorizationServerResponse.of,
      // Objects of a server that was switched off must not become valid again.
      permit: async ({ appId, apps, before, after }: AskedSetting<AuthorizationServerSettings>) => {
        if (apps.before === null || before === null) return null;
        if (after !== null) {
          const hosts = after.metadataHosts ?? [];
          if (before.metadataHosts?.some((host) => !hosts.includes(host)))
            await this.manageClients.deleteDescribedElsewhere(appId, hosts);
          return null;
        }
        // First, because an accept that has stored its grant still needs its interaction.
        await this.artifacts.destroyAll(appId);
        await this.grants.endAll(appId, {});
        return null;
      },
    });
  }
}

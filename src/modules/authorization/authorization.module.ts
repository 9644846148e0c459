import { type MiddlewareConsumer, Module, type NestModule, type OnModuleInit } from '@nestjs/common';
import { Clock, epochSeconds } from '../../kernel/clock.js';
import { Retention } from '../../kernel/retention.js';
import { Config } from '../../services/config/config.js';
import { AppsModule, ModuleSettings } from '../apps/index.js';
import { SessionModule } from '../session/index.js';
import { ManageClients } from './application/manage-clients.js';
import { ManageResources, ServerAddress } from './application/manage-resources.js';
import { AccessTokens } from './domain/access-token.js';
import {
  AUTHORIZATION_SERVER,
  type AuthorizationServerSettings,
  requireLoginUrl,
} from './domain/authorization-server.js';
import { OauthClientRepository } from './domain/oauth-client.js';
import { OauthResourceRepository } from './domain/oauth-resource.js';
import { AuthorizationServerRequest, AuthorizationServerResponse } from './http/authorization-server.dto.js';
import { OauthClientsController } from './http/oauth-clients.controller.js';
import { OauthResourcesController } from './http/oauth-resources.controller.js';
import { PostgresOauthClientRepository } from './infrastructure/postgres-oauth-client.repository.js';
import { PostgresOauthResourceRepository } from './infrastructure/postgres-oauth-resource.repository.js';
import { Providers } from './infrastructure/providers.js';
import { SignedAccessTokens } from './infrastructure/signed-access-tokens.js';
import { Oauth2Endpoints } from './oauth2-endpoints.js';

/** Apps as authorization servers (OAuth 2.1): other programs get tokens of an app. */
@Module({
  imports: [AppsModule, SessionModule],
  controllers: [OauthClientsController, OauthResourcesController],
  providers: [
    { provide: OauthClientRepository, useClass: PostgresOauthClientRepository },
    { provide: OauthResourceRepository, useClass: PostgresOauthResourceRepository },
    { provide: AccessTokens, useClass: SignedAccessTokens },
    { provide: ServerAddress, useExisting: Config },
    ManageClients,
    ManageResources,
    Providers,
  ],
})
export class AuthorizationModule implements NestModule, OnModuleInit {
  constructor(
    private readonly moduleSettings: ModuleSettings,
    private readonly retention: Retention,
    private readonly clock: Clock,
  ) {}

  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(Oauth2Endpoints).forRoutes('oauth2/*path', '.well-known/oauth-authorization-server/*path');
  }

  onModuleInit(): void {
    this.retention.register({ table: 'authorization_revoked_tokens', endedWhen: 'expires_at' });
    this.moduleSettings.register({
      field: AUTHORIZATION_SERVER,
      change: (current: AuthorizationServerSettings | null, { login_url }: AuthorizationServerRequest) => ({
        loginUrl: requireLoginUrl(login_url),
        since: current?.since ?? epochSeconds(this.clock.now()),
      }),
      show: AuthorizationServerResponse.of,
    });
  }
}

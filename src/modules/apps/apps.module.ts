import { Global, Module, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AppAuthenticator } from '../../edge/auth/credential.js';
import { Jobs } from '../../kernel/jobs.js';
import { Config } from '../../services/config/config.js';
import { BY_CLI } from '../../services/cli/requester.js';
import { LimitsInForce } from '../../services/limits/limits-in-force.js';
import { Brands } from '../../services/mail/brands.js';
import { AppsFacade } from './application/apps.facade.js';
import { ConnectionSecrets } from './application/connection-secrets.js';
import { FirstStart } from './application/first-start.js';
import { ManageApiKeys } from './application/manage-api-keys.js';
import { ManageApps } from './application/manage-apps.js';
import { ManageOauthConnections } from './application/manage-oauth-connections.js';
import { ManageRedirectUrls } from './application/manage-redirect-urls.js';
import { ServiceStop } from './application/service-stop.js';
import { ManagementKeys, ManagementSessions } from './application/management-keys.js';
import { ApiKeyRepository } from './domain/api-key.js';
import { AppDirectory, AppRepository } from './domain/app.js';
import { FirstStartSettings } from './domain/first-start-settings.js';
import { IssuerCheck } from './domain/issuer-check.js';
import { ManagementKeyRepository, ManagementSessionRepository } from './domain/management-key.repository.js';
import { ModuleSettings } from './domain/module-settings.js';
import { OauthConnectionRepository } from './domain/oauth-connection.js';
import { RedirectUrlRepository } from './domain/redirect-url.js';
import { ServiceStops } from './domain/service-stops.js';
import { AppsController } from './http/settings/apps.controller.js';
import { KeyStorageController } from './http/operations/key-storage.controller.js';
import { KeysController } from './http/keys/keys.controller.js';
import { documentedSettings } from './http/settings/exported-module-settings.dto.js';
import {
  ManagementSessionController,
  ManagementSessionsController,
} from './http/portal/management-session.controller.js';
import { OauthConnectionsControllers } from './http/connections/oauth-connections.controller.js';
import { OperationsController } from './http/operations/operations.controller.js';
import { RedirectUrlsController } from './http/connections/redirect-urls.controller.js';
import { TemplatePreviewController } from './http/settings/template-preview.controller.js';
import './infrastructure/personal-data.js';
import { ApiKeySchema, TypeormApiKeyRepository } from './infrastructure/typeorm-api-key.repository.js';
import { AppSchema, TypeormAppRepository } from './infrastructure/typeorm-app.repository.js';
import { DirectoryLimits, PostgresAppDirectory } from './infrastructure/postgres-app-directory.js';
import { KeyAuthenticator } from './infrastructure/key-authenticator.js';
import { PostgresKeyUsage } from './infrastructure/postgres-key-usage.js';
import {
  ManagementKeySchema,
  TypeormManagementKeyRepository,
} from './infrastructure/typeorm-management-key.repository.js';
import { PostgresManagementSessionRepository } from './infrastructure/postgres-management-session.repository.js';
import {
  OauthConnectionSchema,
  TypeormOauthConnectionRepository,
} from './infrastructure/typeorm-oauth-connection.repository.js';
import { OutboundIssuerCheck } from './infrastructure/outbound-issuer-check.js';
import { RedirectUrlSchema, TypeormRedirectUrlRepository } from './infrastructure/typeorm-redirect-url.repository.js';
import { PostgresServiceStops } from './infrastructure/postgres-service-stops.js';
import { PostgresBrands } from './infrastructure/postgres-brands.js';

const HOUR = 3_600;

/** The module of apps, their keys and settings. It is global, because the edge asks it for the app of each key. */
@Global()
@Module({
  imports: [
    TypeOrmModule.forFeature([AppSchema, ApiKeySchema, RedirectUrlSchema, OauthConnectionSchema, ManagementKeySchema]),
  ],
  controllers: [
    AppsController,
    KeysController,
    RedirectUrlsController,
    ...OauthConnectionsControllers,
    ManagementSessionController,
    ManagementSessionsController,
    OperationsController,
    KeyStorageController,
    TemplatePreviewController,
  ],
  providers: [
    ManageApps,
    ManageApiKeys,
    ManageRedirectUrls,
    ManageOauthConnections,
    ManagementKeys,
    ManagementSessions,
    FirstStart,
    ConnectionSecrets,
    AppsFacade,
    ModuleSettings,
    PostgresAppDirectory,
    PostgresKeyUsage,
    ServiceStop,
    { provide: AppAuthenticator, useClass: KeyAuthenticator },
    { provide: LimitsInForce, useClass: DirectoryLimits },
    { provide: Brands, useClass: PostgresBrands },
    { provide: AppDirectory, useExisting: PostgresAppDirectory },
    { provide: AppRepository, useClass: TypeormAppRepository },
    { provide: ApiKeyRepository, useClass: TypeormApiKeyRepository },
    { provide: RedirectUrlRepository, useClass: TypeormRedirectUrlRepository },
    { provide: OauthConnectionRepository, useClass: TypeormOauthConnectionRepository },
    { provide: ManagementKeyRepository, useClass: TypeormManagementKeyRepository },
    { provide: ManagementSessionRepository, useClass: PostgresManagementSessionRepository },
    { provide: ServiceStops, useClass: PostgresServiceStops },
    { provide: IssuerCheck, useClass: OutboundIssuerCheck },
    { provide: FirstStartSettings, useExisting: Config },
  ],
  exports: [AppAuthenticator, LimitsInForce, Brands, AppsFacade, ManagementSessions, ModuleSettings],
})
export class AppsModule implements OnModuleInit, OnApplicationBootstrap {
  constructor(
    private readonly moduleSettings: ModuleSettings,
    private readonly managementSessions: ManagementSessionRepository,
    private readonly config: Config,
    private readonly jobs: Jobs,
    private readonly stop: ServiceStop,
  ) {}

  onModuleInit(): void {
    // Management sessions belong to no app, so the retention of apps' rows does not reach them.
    this.jobs.schedule('apps.management-sessions', HOUR, () => this.managementSessions.deleteExpired());
    this.jobs.schedule('apps.record-stop', 15, () => this.stop.record(BY_CLI));
  }

  /** A field without its class, or with classes and without its registration, would be dropped from requests in silence. */
  async onApplicationBootstrap(): Promise<void> {
    await this.managementSessions.keepOperatorsOf(this.config.consoleOidc?.registration ?? null);
    this.moduleSettings.requireDocumented(documentedSettings);
  }
}

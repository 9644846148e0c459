import { type DynamicModule, Module } from '@nestjs/common';
import { EdgeModule } from './edge/edge.module.js';
import { AppsModule } from './modules/apps/index.js';
import { ChainModule } from './modules/chain/index.js';
import { IdentityModule } from './modules/identity/index.js';
import { MagicLinkModule } from './modules/magic-link/index.js';
import { OauthModule } from './modules/oauth/index.js';
import { OtpModule } from './modules/otp/index.js';
import { SessionModule } from './modules/session/index.js';
import { TotpModule } from './modules/totp/index.js';
import { TransferModule } from './modules/transfer/index.js';
import { WalletModule } from './modules/wallet/index.js';
import { PostgresModule } from './postgres/postgres.module.js';
import { ServicesModule, type ServicesSettings } from './services/services.module.js';

/** The settings of one running application. */
export interface AppSettings extends ServicesSettings {
  readonly databaseUrl: string;
}

/** The layers and the modules on top of them. */
@Module({})
export class AppModule {
  static with({ databaseUrl, ...services }: AppSettings): DynamicModule {
    return {
      module: AppModule,
      imports: [
        PostgresModule.with(services.config, databaseUrl),
        ServicesModule.with(services),
        EdgeModule,
        AppsModule,
        IdentityModule,
        SessionModule,
        OauthModule,
        MagicLinkModule,
        OtpModule,
        TotpModule,
        WalletModule,
        ChainModule,
        TransferModule,
      ],
    };
  }
}

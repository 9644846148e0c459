import { type DynamicModule, Module } from '@nestjs/common';
import { AppsModule } from './modules/apps/index.js';
import { IdentityModule } from './modules/identity/index.js';
import { MagicLinkModule } from './modules/magic-link/index.js';
import { OauthModule } from './modules/oauth/index.js';
import { OtpModule } from './modules/otp/index.js';
import { SessionModule } from './modules/session/index.js';
import { TotpModule } from './modules/totp/index.js';
import { TransferModule } from './modules/transfer/index.js';
import { WalletModule } from './modules/wallet/index.js';
import { PlatformModule, type PlatformSettings } from './platform/platform.module.js';

/** The platform and the bounded contexts on it. */
@Module({})
export class AppModule {
  static with(settings: PlatformSettings): DynamicModule {
    return {
      module: AppModule,
      imports: [
        PlatformModule.with(settings),
        AppsModule,
        IdentityModule,
        SessionModule,
        OauthModule,
        MagicLinkModule,
        OtpModule,
        TotpModule,
        WalletModule,
        TransferModule,
      ],
    };
  }
}

// One line for each module, in any order.
export { AppsModule } from './apps/index.js';
export { AuditModule } from './audit/index.js';
export { ChainModule } from './chain/index.js';
export { EventsModule } from './events/index.js';
export { IdentityModule } from './identity/index.js';
export { MagicLinkModule } from './magic-link/index.js';
export { OauthModule } from './oauth/index.js';
export { OtpModule } from './otp/index.js';
export { SessionModule } from './session/index.js';
export { TotpModule } from './totp/index.js';
export { TransferModule } from './transfer/index.js';
export { WalletModule } from './wallet/index.js';
export { PasskeyModule } from './passkey/index.js';
export { WebhooksModule } from './webhooks/index.js';
export { PolicyModule } from './policy/index.js';
export { PasswordModule } from './password/index.js';
export { MigrationModule } from './migration/index.js';

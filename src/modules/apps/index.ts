export { AppsModule } from './apps.module.js';
export { AppsFacade, type OpenedConnection as OauthConnection, type SigningApp } from './application/apps.facade.js';
export { AppCreated, AppDeleted, KeyRevoked } from './domain/apps.events.js';
export { SIGNING_MAC } from './domain/app-macs.js';
export { APPROVER_PASSKEY_HOURS, type AppSettings, READ_ONLY_END } from './domain/app.js';
export { type AppAsset, isBounding, type TransferPolicy } from './domain/transfer-policy.js';
export { isAcceptedInBlock } from './domain/accepted-payments.js';
export type { SigningPolicy } from './domain/signing-policy.js';
export type { AppLimits } from './domain/app-limits.js';
export { type AuditEntry, type AuditFilter, AuditLog, type AuditOutcome, NO_APP } from './domain/audit-log.js';
export {
  type AskedChange,
  type AskedSetting,
  type ModuleSetting,
  ModuleSettings,
  type SettledApp,
} from './domain/module-settings.js';
export type { RedirectKind } from './domain/redirect-url.js';
export {
  AppInUse,
  AppNotFound,
  InvalidRedirectUrl,
  NoDefaultRedirectUrl,
  OauthConnectionNotFound,
} from './domain/apps.errors.js';

export { RequestedOfApp, SettingOfApp, ShownOfApp } from './http/settings/exported-module-settings.dto.js';

// The operator's commands on the machine use these; no other module calls them.
export { FirstStart } from './application/first-start.js';
export { ManageApiKeys } from './application/manage-api-keys.js';
export { ManageApps } from './application/manage-apps.js';
export { ManagementKeys, ManagementSessions } from './application/management-keys.js';
export {
  actorOf,
  MANAGEMENT_SESSION_SECONDS,
  type ManagementKey,
  ManagementKeyRepository,
  type Operator,
  operatorIn,
} from './domain/management-key.repository.js';

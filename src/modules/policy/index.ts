export { PolicyModule } from './policy.module.js';
export { Gate, type Pass, type SigningRequest } from './application/gate.js';
export type { KeyUse } from './domain/key-use.js';
export {
  AppFrozen,
  DestinationNotAllowed,
  FeeLimitExceeded,
  MessageNotAllowed,
  POLICY_REFUSALS,
  PolicyDenied,
  TransactionNotAllowed,
  TransferLimitExceeded,
  TypedDataNotAllowed,
  WalletExportNotAllowed,
} from './domain/policy.errors.js';

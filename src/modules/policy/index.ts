export { PolicyModule } from './policy.module.js';
export { type Decided, Gate, type Pass, type SigningRequest } from './application/gate.js';
export { Budgets, inWords, WALLET_SPEND, WalletSpend } from './http/exported-budget.dto.js';
export { TokenPolicies } from './application/token-policies.js';
export { FreezeObject } from './application/freeze-object.js';
export { ApprovableChange } from './http/exported-change.dto.js';
export { WalletFreezeResponse } from './http/exported-freeze.dto.js';
export { PreviewPolicies, type Preview, SETTINGS_REASONS } from './application/preview-policies.js';
export {
  AwaitingTransfers,
  type AwaitingTransfersKeeper,
  type UnapprovedEnd,
  type UnpaidProof,
} from './application/awaiting-transfers.js';
export { APPROVAL_REFUSALS, TooManyApprovals } from './domain/approval.errors.js';
export type { KeyUse } from './domain/key-use.js';
export {
  AppFrozen,
  ApprovalRequired,
  BatchTooLarge,
  DestinationNotAllowed,
  FeeLimitExceeded,
  MessageNotAllowed,
  POLICY_REFUSALS,
  PolicyDenied,
  TransactionNotAllowed,
  TransferLimitExceeded,
  TooManyMoves,
  TypedDataNotAllowed,
  WalletExportNotAllowed,
  WalletFrozen,
} from './domain/policy.errors.js';
export { EFFECTS, OPERATIONS, type Operation } from './domain/policy.js';
export { DENIAL_REASONS } from './domain/verdict.js';

export { PolicyModule } from './policy.module.js';
export { type Decided, Gate, type Pass, type SigningRequest } from './gate/application/gate.js';
export { Budgets, inWords, WALLET_SPEND, WalletSpend } from './budgets/http/exported-budget.dto.js';
export { TokenPolicies } from './policies/application/token-policies.js';
export { FreezeObject } from './policies/application/freeze-object.js';
export { ApprovableChange } from './approvals/http/exported-change.dto.js';
export { WalletFreezeResponse } from './policies/http/exported-freeze.dto.js';
export { PreviewPolicies, type Preview, SETTINGS_REASONS } from './gate/application/preview-policies.js';
export {
  AwaitingTransfers,
  type AwaitingTransfersKeeper,
  type UnapprovedEnd,
  type UnpaidProof,
} from './approvals/application/awaiting-transfers.js';
export { APPROVAL_REFUSALS, TooManyApprovals } from './approvals/domain/approval.errors.js';
export type { KeyUse } from './rules/domain/key-use.js';
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
} from './rules/domain/policy.errors.js';
export { EFFECTS, OPERATIONS, type Operation } from './rules/domain/policy.js';
export { DENIAL_REASONS } from './rules/domain/verdict.js';

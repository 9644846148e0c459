import { refusal } from '../../../../kernel/domain-error.js';
import type { BatchId, TransferId } from '../../../../kernel/ids.js';

export class TransferNotFound extends refusal('not_found', 'transfer_not_found', {
  message: 'There is no such transfer.',
  help: 'No transfer of this app has that id.',
}) {}

export class BatchNotFound extends refusal('not_found', 'batch_not_found', {
  message: 'There is no such batch.',
  help: 'No batch of transfers of this app has that id.',
}) {}

export class TransferInBatch extends refusal('conflict', 'transfer_in_batch', {
  message: (id: BatchId) => `The transfer is confirmed only together with its batch ${id}. Use confirm_batch.`,
  help: 'The transfers of a batch are confirmed together or not at all. Confirm the batch.',
}) {}

export class ListTooBroad extends refusal('invalid', 'list_too_broad', {
  message: 'The list is too broad. Use a smaller offset, or list the transfers of one user or of one wallet.',
  help: 'The list took longer than 2 seconds. Use a smaller `offset`, or list the transfers of one user or of one wallet.',
}) {}

export class TransferExpired extends refusal('conflict', 'transfer_expired', {
  message: (id: TransferId) => `Transfer ${id} expired before it was confirmed. Create another transfer.`,
  help: 'A transfer must be confirmed within two minutes, while its quote is valid. Nothing was sent. Create another transfer.',
}) {}

export class TransferCancelled extends refusal('conflict', 'transfer_cancelled', {
  message: (id: TransferId) => `Transfer ${id} was cancelled.`,
  help: 'The transfer was cancelled. No payment was made and none will be.',
}) {}

export class TransferAlreadyConfirmed extends refusal('conflict', 'transfer_already_confirmed', {
  message: (id: TransferId) => `Transfer ${id} has been confirmed.`,
  help: 'The transfer is signed, and the chain decides its outcome. It can still be cancelled on Ethereum when it is marked stuck and in no block, and on Solana while it is in no block.',
}) {}

export class NonceUsed extends refusal('conflict', 'nonce_used', {
  message: (id: TransferId) =>
    `Transfer ${id} cannot be cancelled: its nonce is used on the chain. It completes or fails once the chain proves by what.`,
  help: 'The chain counts the nonce of the transfer as used, so no transaction can replace it. Nothing was signed now. Wait: the transfer completes or fails once it is proven which transaction used the nonce.',
}) {}

export class DuplicateCustomId extends refusal('conflict', 'duplicate_custom_id', {
  /** Null: a transfer that the key does not see. */
  message: (first: TransferId | null) => `${first ? `Transfer ${first}` : 'Another transfer'} has this custom_id.`,
  help: 'A custom_id identifies one transfer of the app permanently, also after the transfer has ended. The error names that transfer, unless the key is bound to other wallets.',
}) {}

export class UnsupportedCurrency extends refusal('invalid', 'unsupported_currency', {
  message: (_field: string, message: string) => message,
  help: "A currency is ethereum, solana or one of the app's assets, on the chain of the source wallet. Currencies are not exchanged: source and destination currency are the same.",
  fields: (message, [field]) => [{ field, rule: 'invalid', message }],
}) {}

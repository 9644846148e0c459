import { type FieldError, refusal } from '../../../../kernel/domain-error.js';

export class WalletNotFound extends refusal('not_found', 'wallet_not_found', {
  message: 'There is no such wallet.',
  help: 'No wallet of this app has that id.',
}) {}

export class WalletReadOnly extends refusal('conflict', 'wallet_read_only', {
  message: 'The wallet is read-only: its key is not held here.',
  help: 'The service does not hold the key of this wallet, so it cannot sign with it. Its owner signs elsewhere.',
}) {}

export class WalletNotOwnedByUser extends refusal('forbidden', 'wallet_not_owned_by_user', {
  message: 'The wallet belongs to another user.',
  help: 'The wallet belongs to another user than the one named in the request.',
}) {}

export class WalletHasOpenTransfers extends refusal('conflict', 'wallet_has_open_transfers', {
  message: 'Transfers from this wallet are under way on this chain. Try again when they have ended.',
  help: 'The service is sending transfers from this wallet and allocates its nonces: a transaction made elsewhere could block them. Try again when they have ended.',
}) {}

export class UnsupportedWalletType extends refusal('invalid', 'unsupported_wallet_type', {
  message: (message: string) => message,
  help: 'The wallet type is unknown, or wallets of this type cannot do what was asked. Typed data and transactions are signed by ethereum wallets.',
}) {}

export class InvalidMessage extends refusal('invalid', 'invalid_message', {
  message: (message: string) => message,
  help: 'The message cannot be signed by this type of wallet. It must be well-formed text; a solana wallet signs 1 to 65,515 bytes of it.',
  fields: (message) => [{ field: 'message', rule: 'invalid', message }],
}) {}

export class InvalidTypedData extends refusal('invalid', 'invalid_typed_data', {
  message: (field: string, problem: string) => `${field} ${problem}`,
  help: 'The typed data is not as EIP-712 has it: domain, types, primaryType, and a message with every field of its types.',
  fields: (message, [field]) => [{ field: `typed_data.${field}`, rule: 'invalid', message }],
}) {}

export class InvalidTransaction extends refusal('invalid', 'invalid_transaction', {
  message: (fields: readonly FieldError[]) =>
    `The transaction cannot be signed: ${fields.map(({ message }) => message).join(' ')}`,
  help: 'eth_transaction needs nonce, gas, maxFeePerGas, maxPriorityFeePerGas and chainId, and to or data. Numbers are decimal or 0x-hexadecimal text, or whole JSON numbers. What such a transaction has no place for (gasPrice, accessList, authorizationList, blobs, another type or sender) is refused, never left out.',
  fields: (_message, [fields]) => fields,
}) {}

export class WalletIsManaged extends refusal('conflict', 'wallet_is_managed', {
  message: 'The wallet is not read-only, so it cannot be deleted.',
  help: 'Only read-only wallets can be deleted. The service holds the key of this one, and with it the funds of its address.',
}) {}

export class TooManyWallets extends refusal('conflict', 'too_many_wallets', {
  message: 'The user signs in with 100 wallets. Delete one first.',
  help: 'A user signs in with at most 100 wallets. Delete one that is no longer used first.',
}) {}

export class DuplicateWallet extends refusal('conflict', 'duplicate_wallet', {
  message: 'The app has a wallet of this address already.',
  help: 'An address logs in one user of an app, and one wallet of an app signs for it. This one is taken.',
}) {}

import type { AppId, UserId, WalletImportId } from '../../../../kernel/ids.js';
import type { SealContext, Sealed } from '../../../../kernel/vault.js';
import type { WalletType } from '../../../../kernel/chain/chain-name.js';
import { refusal } from '../../../../kernel/domain-error.js';

export const IMPORT_MINUTES = 10;

export interface WalletImport {
  readonly appId: AppId;
  readonly id: WalletImportId;
  readonly userId: UserId;
  readonly walletType: WalletType;
  /** Decrypts the private key that arrives. */
  readonly sealedPrivateKey: Sealed;
}

export function importKeyContext(appId: AppId, id: WalletImportId): SealContext {
  return ['wallet-import-key', appId, id];
}

export abstract class WalletImportRepository {
  /** Returns when it expires. */
  abstract add(walletImport: WalletImport): Promise<Date>;

  /** Null if the import is unknown, used or expired, by the database's clock. */
  abstract find(appId: AppId, id: WalletImportId): Promise<WalletImport | null>;

  /** Spends the import and deletes its key. Of simultaneous callers, one gets true. */
  abstract consume(appId: AppId, id: WalletImportId): Promise<boolean>;

  abstract removeAllOf(appId: AppId, userId: UserId): Promise<number>;
}

export class InvalidWalletImport extends refusal('invalid', 'invalid_wallet_import', {
  message: 'There is no such import, or the ciphertext was not made for it. Begin another import.',
  help: 'The import is unknown, used or older than ten minutes, or the ciphertext does not open with its key. Encrypt to the key of a fresh import, without info or associated data.',
}) {}

export class InvalidPrivateKey extends refusal('invalid', 'invalid_private_key', {
  message: 'What was encrypted is not a private key of this type of wallet.',
  help: 'What was encrypted is not a private key of this type of wallet. Ethereum: hexadecimal text, or 32 bytes. Solana: base58 text of the 64 bytes of a key pair, or those bytes, or the 32 bytes of the seed.',
}) {}

export class InvalidEncryptionKey extends refusal('invalid', 'invalid_encryption_key', {
  message: 'The encryption key is not an uncompressed point on P-256 in base64.',
  help: 'The key to encrypt to must be a point on the curve P-256: its 65 bytes, uncompressed, in base64.',
  fields: (message) => [{ field: 'encryption_public_key', rule: 'invalid', message }],
}) {}

export class KeyInUse extends refusal('conflict', 'key_in_use', {
  message: 'This service manages the key already, in another app. Use another key.',
  help: 'Another app of this service manages this key. Two apps that send from one address use the same nonces, and payments of both fail. Use the key in one app only, or move its funds to another wallet.',
}) {}

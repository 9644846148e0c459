import { ApiSchema } from '@nestjs/swagger';
import { epochSeconds } from '../../../../kernel/clock.js';
import type { UserId, WalletImportId } from '../../../../kernel/ids.js';
import type { FieldOptions } from '../../../../edge/http/field.js';
import { IdOf, OneOf, Text } from '../../../../edge/http/fields.js';
import type { BegunImport } from '../application/import-wallet.js';
import { ENCRYPTION_TYPE, type SealedMessage } from '../domain/wallet-keys.js';
import { WALLET_TYPE_ALIASES, WALLET_TYPES, type WalletType } from '../../../../kernel/chain/chain-name.js';
import { Example } from '../../../../edge/openapi/plugin-schemas.js';
import { exampleId } from '../../../../kernel/examples.js';
import type { Used } from '../../signing/application/sign.js';
import { WalletResponse } from '../../wallets/http/exported-wallet.dto.js';
import { ApprovableRequest } from '../../signing/http/sign.dto.js';

/** A field of bytes in base64, of either alphabet. */
export function Base64(options: FieldOptions = {}): PropertyDecorator {
  return Text({ ...options, min: 1, pattern: /^[A-Za-z0-9+/_-]+={0,2}$/, patternName: 'base64' });
}

export class BeginImportRequest {
  /** The user who will own the wallet. */
  @IdOf('user')
  readonly user_id!: UserId;

  /** The chain; `ETH` and `SOL` mean the same. */
  @OneOf(WALLET_TYPES, { aliases: WALLET_TYPE_ALIASES })
  readonly wallet_type!: WalletType;
}

@ApiSchema({
  description: 'The import that has begun, with the public key to which the private key must be encrypted.',
})
export class BeginImportResponse {
  /** Begins with `walletimp_`. */
  @Example(exampleId('walletImport'))
  readonly id!: string;
  /** The encryption, always `HPKE/DHKEM(P-256, HKDF-SHA256)/HKDF-SHA256/AES-256-GCM`: RFC 9180, base mode, no info, no associated data. */
  @Example('HPKE/DHKEM(P-256, HKDF-SHA256)/HKDF-SHA256/AES-256-GCM')
  readonly encryption_type!: string;
  /** The public key to which the private key must be encrypted, once: 65 bytes, a point of P-256 uncompressed, in base64. */
  @Example('BGsX0fLhLEJH+Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWT+NC4v4af5uO5+tKfA+eFivOM1drMV7Oy7ZAaDe/UfU=')
  readonly encryption_public_key!: string;
  /** The time of expiry in epoch seconds. */
  readonly expires_at!: number;

  static of({ id, publicKey, expiresAt }: BegunImport): BeginImportResponse {
    return {
      id,
      encryption_type: ENCRYPTION_TYPE,
      encryption_public_key: Buffer.from(publicKey).toString('base64'),
      expires_at: epochSeconds(expiresAt),
    };
  }
}

export class ImportWalletRequest {
  /** The `walletimp_` id of the import that was begun. */
  @IdOf('walletImport')
  readonly id!: WalletImportId;

  /** The sender's encapsulated key (`enc`): 65 bytes, in base64. */
  @Base64({ example: 'BGsX0fLhLEJH+Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWT+NC4v4af5uO5+tKfA+eFivOM1drMV7Oy7ZAaDe/UfU=' })
  readonly encapsulated_key!: string;

  /**
   * The encrypted private key, in base64. Ethereum: hexadecimal text, or the 32 bytes. Solana: base58 text of the 64 bytes
   * of the key pair, or those bytes, or the 32 bytes of the seed.
   */
  @Base64({ example: 'YSBjaXBoZXJ0ZXh0' })
  readonly ciphertext!: string;

  static message({ encapsulated_key, ciphertext }: ImportWalletRequest): SealedMessage {
    return {
      encapsulatedKey: Buffer.from(encapsulated_key, 'base64'),
      ciphertext: Buffer.from(ciphertext, 'base64'),
    };
  }
}

export class ExportWalletRequest extends ApprovableRequest {
  /** The public key to which the private key is encrypted: 65 bytes, a point of P-256 uncompressed, in base64. */
  @Base64({ example: 'BGsX0fLhLEJH+Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWT+NC4v4af5uO5+tKfA+eFivOM1drMV7Oy7ZAaDe/UfU=' })
  readonly encryption_public_key!: string;
}

@ApiSchema({ description: 'The private key, encrypted to the public key of the request.' })
export class ExportWalletResponse {
  readonly wallet_id!: string;
  /** The wallet whose key was exported. */
  readonly wallet!: WalletResponse;
  /** The encryption, always `HPKE/DHKEM(P-256, HKDF-SHA256)/HKDF-SHA256/AES-256-GCM`: RFC 9180, base mode, no info, no associated data. */
  @Example('HPKE/DHKEM(P-256, HKDF-SHA256)/HKDF-SHA256/AES-256-GCM')
  readonly encryption_type!: string;
  /** The encapsulated key (`enc`): 65 bytes, in base64. */
  @Example('BGsX0fLhLEJH+Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWT+NC4v4af5uO5+tKfA+eFivOM1drMV7Oy7ZAaDe/UfU=')
  readonly encapsulated_key!: string;
  /** The encrypted private key, in base64. Ethereum: 0x-hexadecimal text. Solana: base58 text of the 64 bytes of the key pair. */
  @Example('YSBjaXBoZXJ0ZXh0')
  readonly ciphertext!: string;

  static of({ wallet, result: message }: Used<SealedMessage>): ExportWalletResponse {
    return {
      wallet_id: wallet.id,
      wallet: WalletResponse.of(wallet),
      encryption_type: ENCRYPTION_TYPE,
      encapsulated_key: Buffer.from(message.encapsulatedKey).toString('base64'),
      ciphertext: Buffer.from(message.ciphertext).toString('base64'),
    };
  }
}

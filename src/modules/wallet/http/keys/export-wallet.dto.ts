import type { ExportedWallet } from '../../application/keys/export-wallet.js';
import { ENCRYPTION_TYPE } from '../../domain/keys/key-transport.js';
import { Base64 } from './import-wallet.dto.js';
import { WalletResponse } from '../wallet-fields.dto.js';
import { Example } from '../../../../edge/openapi/plugin-schemas.js';

export class ExportWalletRequest {
  /** The public key to which the private key is encrypted: 65 bytes, a point of P-256 uncompressed, in base64. */
  @Base64({ example: 'BGsX0fLhLEJH+Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWT+NC4v4af5uO5+tKfA+eFivOM1drMV7Oy7ZAaDe/UfU=' })
  readonly encryption_public_key!: string;
}

export class ExportWalletResponse {
  readonly wallet_id!: string;
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

  static of({ wallet, message }: ExportedWallet): ExportWalletResponse {
    return {
      wallet_id: wallet.id,
      wallet: WalletResponse.of(wallet),
      encryption_type: ENCRYPTION_TYPE,
      encapsulated_key: Buffer.from(message.encapsulatedKey).toString('base64'),
      ciphertext: Buffer.from(message.ciphertext).toString('base64'),
    };
  }
}

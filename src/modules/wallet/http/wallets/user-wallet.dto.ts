import { PartOfUser } from '../../../identity/index.js';

/** A wallet as GET user shows it. */
@PartOfUser('wallets')
export class UserWallet {
  /** Begins with `wallet_`. */
  readonly id: string;
  readonly app_id: string;
  /** The owner. */
  readonly user_id: string;
  /** The address on the chain. */
  readonly public_address: string;
  /** `ethereum` or `solana`. */
  readonly wallet_type: string;
  /** Whether the user is known to hold the key, or the service to hold it for them. */
  readonly verified: boolean;
  readonly is_default: boolean;
  /** Whether the service cannot sign with it. */
  readonly is_read_only: boolean;
  readonly is_imported: boolean;
  /** Epoch seconds. */
  readonly updated_at: number;
  /** Epoch seconds. */
  readonly created_at: number;
}

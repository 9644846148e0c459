import { getAddress } from 'ethers/address';
import { epochSecondsOf } from '../../identity/index.js';
import { SignInModule } from '../../session/index.js';
import { WalletImportRepository } from '../keys/domain/wallet-import.js';
import { RegistrationRepository } from './domain/registration.js';
import { WalletResponse } from '../wallets/http/exported-wallet.dto.js';

const LIVE = 't.deleted_at is null';

export const WALLET_SIGN_IN = SignInModule.declare({
  title: 'wallet',
  factor: {
    type: 'wallet',
    deliveryChannels: ['eth_wallet', 'sol_wallet'],
    methods: {
      wallet: {
        id: 'walletId',
        fields: { walletId: 'wallet_id', walletType: 'wallet_type', publicAddress: 'wallet_public_address' },
      },
    },
  },
  // Only a read-only wallet is a credential: its user signed with it. The service signs with a managed wallet.
  credentials: `
    select true, true, id, created_at from wallets
     where app_id = $1 and user_id = $2 and is_read_only and verified and deleted_at is null`,
  revoke: async (the, appId, userId) => {
    const [registrations, imports] = await Promise.all([
      the(RegistrationRepository).revokeAllOf(appId, userId),
      the(WalletImportRepository).removeAllOf(appId, userId),
    ]);
    return registrations + imports;
  },
  profile: {
    field: 'wallets',
    shownAs: WalletResponse,
    table: 'wallets',
    where: LIVE,
    fields: {
      id: 't.id',
      app_id: 't.app_id',
      user_id: 't.user_id',
      public_address: 't.public_address',
      wallet_type: 't.wallet_type',
      verified: 't.verified',
      is_default: 't.is_default',
      is_read_only: 't.is_read_only',
      is_imported: 't.is_imported',
      updated_at: epochSecondsOf('t.updated_at'),
      created_at: epochSecondsOf('t.created_at'),
    },
  },
  search: {
    table: 'wallets',
    where: LIVE,
    fields: {
      wallet_id: { compared: 't.id', values: { id: 'wallet' }, isKey: true },
      wallet_public_address: { compared: 't.public_address', values: 'text', stored: storedSpelling, isKey: true },
    },
  },
  retention: [{ table: 'wallet_registrations', endedWhen: 'expires_at', after: '1 hour' }],
});

/** An address as it is stored: an Ethereum address with its checksum, which is only upper and lower case. */
function storedSpelling(address: string): string {
  return /^0x[0-9a-f]{40}$/i.test(address) ? getAddress(address.toLowerCase()) : address;
}

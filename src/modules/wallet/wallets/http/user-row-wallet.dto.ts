import { OneOf, Text } from '../../../../edge/http/fields.js';
import { WALLET_TYPE_ALIASES, WALLET_TYPES, type WalletType } from '../../../../kernel/chain/chain-name.js';
import { EXAMPLES } from '../../../../kernel/examples.js';
import { FormerId, PartOfUserRow, PastTime, timeIn } from '../../../identity/index.js';
import type { ImportedWallet } from '../application/portable-wallets.js';
import { MAX_LOGIN_WALLETS } from '../domain/wallet.js';

@PartOfUserRow(
  'wallets',
  { max: MAX_LOGIN_WALLETS, description: 'The read-only wallets by which the user signs in.' },
  ({ id, wallet_type, public_address, contract_network, created_at }: UserRowWallet): ImportedWallet => ({
    id,
    walletType: wallet_type,
    publicAddress: public_address,
    contractNetwork: contract_network,
    createdAt: timeIn(created_at),
  }),
)
export class UserRowWallet {
  @FormerId('wallet')
  readonly id?: string;

  @OneOf(WALLET_TYPES, { aliases: WALLET_TYPE_ALIASES, example: 'ethereum' })
  readonly wallet_type!: WalletType;

  /** The address on the chain. */
  @Text({ min: 1, max: 64, example: EXAMPLES.otherAddress })
  readonly public_address!: string;

  /** The CAIP-2 name of the network whose contract signs for the address; absent if its own key does. */
  @Text({ optional: true, max: 128 })
  readonly contract_network?: string;

  @PastTime('When the user first signed in by it. If absent, the time of the creation of the user.')
  readonly created_at?: Date;
}

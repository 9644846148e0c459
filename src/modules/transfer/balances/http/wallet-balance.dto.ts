import { ApiSchema } from '@nestjs/swagger';
import type { WalletId } from '../../../../kernel/ids.js';
import { IdOf, Text } from '../../../../edge/http/fields.js';
import { WalletResponse } from '../../../wallet/index.js';
import type { ShownBalance } from '../application/wallet-balance.js';
import { Example } from '../../../../edge/openapi/plugin-schemas.js';

export class WalletBalanceRequest {
  @IdOf('wallet')
  readonly wallet_id!: WalletId;

  /** The symbol of the asset: `ETH`, `SOL` or that of an asset of the app; names such as `ethereum` are accepted too. */
  @Text({ min: 1, max: 64, example: 'ETH' })
  readonly token_symbol!: string;

  /** The network. Without it the asset decides, as in `transfers/create`. */
  @Text({ min: 1, max: 32, optional: true, example: 'ethereum' })
  readonly network?: string;
}

@ApiSchema({ description: 'The current balance on the chain.' })
export class WalletBalanceResponse {
  /** The balance as decimal text, in whole units of the asset. */
  @Example('10000')
  readonly balance!: string;
  /** The symbol of the asset. */
  @Example('ETH')
  readonly token_symbol!: string;
  /** The network of the balance. */
  @Example('ethereum')
  readonly network!: string;
  /** The wallet that holds the balance. */
  readonly wallet!: WalletResponse;
}

/** The balance of one asset. */
export class ManagedBalanceResponse {
  /** The symbol of the asset. */
  @Example('ETH')
  readonly token_symbol!: string;
  /** The network of the balance. */
  @Example('ethereum')
  readonly network!: string;
  /** The balance as decimal text, in whole units of the asset; empty if the chain does not return it. */
  @Example('10000')
  readonly balance!: string;
  /** The error type of the chain's refusal, such as `chain_unavailable`; empty if there is a balance. */
  @Example('')
  readonly error_type!: string;

  static of({ asset, balance, refusal }: ShownBalance): ManagedBalanceResponse {
    return {
      token_symbol: asset.symbol,
      network: asset.chain,
      balance: balance ?? '',
      error_type: refusal?.code ?? '',
    };
  }
}

@ApiSchema({ description: 'The wallet with its current balances.' })
export class ManagedWalletResponse extends WalletResponse {
  /** The current balances of the coins and of the app's tokens on the networks that the app may use. */
  readonly balances!: ManagedBalanceResponse[];
  /** The time since which the wallet itself is frozen and signs nothing, in epoch seconds; `0` if it is not. */
  @Example(0)
  readonly frozen_at!: number;
}

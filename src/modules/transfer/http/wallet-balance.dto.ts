import type { WalletId } from '../../../kernel/ids.js';
import { IdOf, Text } from '../../../edge/http/fields.js';
import { WalletResponse } from '../../wallet/index.js';
import { Example } from '../../../edge/openapi/plugin-schemas.js';

export class WalletBalanceRequest {
  @IdOf('wallet')
  readonly wallet_id!: WalletId;

  /** The symbol of the asset: `ETH`, `SOL` or that of an asset of the app; names such as `ethereum` are accepted too. */
  @Text({ min: 1, max: 64, example: 'ETH' })
  readonly token_symbol!: string;
}

export class WalletBalanceResponse {
  /** The balance as decimal text, in whole units of the asset. */
  @Example('10000')
  readonly balance!: string;
  @Example('ETH')
  readonly token_symbol!: string;
  readonly wallet!: WalletResponse;
}

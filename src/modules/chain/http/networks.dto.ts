import { ApiSchema } from '@nestjs/swagger';
import { EnumValues, Example } from '../../../edge/openapi/plugin-schemas.js';
import { type Chain, CHAIN_HEALTH } from '../../../kernel/chain/chain.js';
import { WALLET_TYPES } from '../../../kernel/chain/chain-name.js';

/** The coin of a network, in which its fees are paid. */
export class NativeCurrencyResponse {
  @Example('ETH')
  readonly symbol!: string;
  @Example(18)
  readonly decimals!: number;
}

export class NetworkResponse {
  /** The name by which calls name the network and its coin. */
  @Example('ethereum')
  readonly name!: string;
  /** The [CAIP-2](https://chainagnostic.org/CAIPs/caip-2) id; empty until a node of a Solana network without a configured id has responded. */
  @Example('eip155:1')
  readonly id!: string;
  /** The kind: `ethereum`, `op`, `arbitrum`, `polygon`, `bnb` or `solana`. */
  @Example('ethereum')
  readonly kind!: string;
  /** The type of the wallets that have addresses on it. */
  @EnumValues(WALLET_TYPES)
  readonly wallet_type!: string;
  readonly native_currency!: NativeCurrencyResponse;
  /** The page of a transaction, with `{hash}` in the place of its hash; null if none is configured. */
  @Example(null)
  readonly explorer!: string | null;
  /** Whether the app may use it. */
  readonly enabled!: boolean;
  /** The state of its nodes: `ok`; `degraded` if one of several does not respond, lags or is on another chain; `unavailable` if none can be used. */
  @EnumValues(CHAIN_HEALTH)
  readonly status!: string;

  static of({ configured, id, health }: Chain, enabled: boolean): NetworkResponse {
    const { name, kind, walletType, native, explorer } = configured;
    const native_currency = { symbol: native.symbol, decimals: native.decimals };
    return { name, id: id ?? '', kind, wallet_type: walletType, native_currency, explorer, enabled, status: health };
  }
}

@ApiSchema({ description: 'The networks of the service.' })
export class NetworkListResponse {
  /** All configured networks. */
  readonly networks!: NetworkResponse[];
}

import { ApiSchema } from '@nestjs/swagger';
import { EnumValues, Example } from '../../../edge/openapi/plugin-schemas.js';
import { type Chain, CHAIN_HEALTH, ENDPOINT_HEALTH } from '../../../kernel/chain/chain.js';
import { WALLET_TYPES } from '../../../kernel/chain/chain-name.js';
import { NETWORK_KINDS } from '../../../services/config/networks.js';

/** The coin of a network, in which its fees are paid. */
export class NativeCurrencyResponse {
  /** The symbol, such as `ETH`. */
  @Example('ETH')
  readonly symbol!: string;
  /** The digits after the decimal point of an amount. */
  @Example(18)
  readonly decimals!: number;
}

class NetworkFields {
  /** The name by which calls name the network and its coin. */
  @Example('ethereum')
  readonly name!: string;
  /** The [CAIP-2](https://chainagnostic.org/CAIPs/caip-2) id; empty until a node of a Solana network without a configured id has responded. */
  @Example('eip155:1')
  readonly id!: string;
  /** The kind: `ethereum`, `op`, `arbitrum`, `polygon`, `bnb` or `solana`. */
  @EnumValues(NETWORK_KINDS)
  @Example('ethereum')
  readonly kind!: string;
  /** The type of the wallets that have addresses on it. */
  @EnumValues(WALLET_TYPES)
  readonly wallet_type!: string;
  /** The coin in which its fees are paid. */
  readonly native_currency!: NativeCurrencyResponse;
  /** The page of a transaction, with `{hash}` in the place of its hash; null if none is configured. */
  @Example(null)
  readonly explorer!: string | null;
  /** The state of its nodes: `ok`; `degraded` if one of several does not respond, lags or is on another chain; `unavailable` if none can be used. */
  @EnumValues(CHAIN_HEALTH)
  readonly status!: string;

  protected static fields({ configured, id, health }: Chain): NetworkFields {
    const { name, kind, walletType, native, explorer } = configured;
    const native_currency = { symbol: native.symbol, decimals: native.decimals };
    return { name, id: id ?? '', kind, wallet_type: walletType, native_currency, explorer, status: health };
  }
}

export class NetworkResponse extends NetworkFields {
  /** Whether the app may use it. */
  readonly enabled!: boolean;

  static of(chain: Chain, enabled: boolean): NetworkResponse {
    return { ...this.fields(chain), enabled };
  }
}

@ApiSchema({ description: 'The networks of the service.' })
export class NetworkListResponse {
  /** All configured networks that have a node. */
  readonly networks!: NetworkResponse[];
}

/** A node of a network, named by its place in the configuration: its URL may hold a key. */
export class EndpointResponse {
  /** `lags` if it is behind the highest one, `differs` if it is on another chain or fork, `unavailable` if it did not respond. */
  @EnumValues(ENDPOINT_HEALTH)
  readonly status!: string;
  /** The number of its newest block (Solana: the newest final slot); null if it did not respond. */
  @Example(21_000_000)
  readonly height!: number | null;
  /** Why it cannot be used, in a sentence; null if it can. */
  @Example(null)
  readonly fault!: string | null;
}

export class ManagedNetworkResponse extends NetworkFields {
  /** Its nodes in the order of the configuration, at the last comparison; empty before the first one. */
  readonly endpoints!: EndpointResponse[];

  static of(chain: Chain): ManagedNetworkResponse {
    const endpoints = chain.endpoints.map(({ health, height, fault }) => ({ status: health, height, fault }));
    return { ...this.fields(chain), endpoints };
  }
}

@ApiSchema({ description: 'The networks of the service, with the state of each node.' })
export class ManagedNetworkListResponse {
  /** All configured networks that have a node. */
  readonly networks!: ManagedNetworkResponse[];
}

import { FeeTooHigh } from '../../../../kernel/chain/chain.errors.js';
import { type DataFees, NO_DATA_FEES } from '../../../../kernel/chain/payment.js';
import type { Endpoints } from '../endpoints.js';
import type { EthereumNode } from './ethereum-node.js';

/** Zero, precompiled and system contracts: 0x01 to 0x11, 0x100, 0x1000 to 0x3000, and more with each fork. */
const LAST_RESERVED = 0xffffn;

const MAX_GAS = { coin: 1_000_000n, token: 5_000_000n };
/** A transfer without code or data takes exactly this on Ethereum. */
const SIMPLEST_GAS = 21_000n;

/** Serves Ethereum, and kinds that differ by configured numbers alone: `polygon` by its lowest tip, `bnb` by a base fee of 0. */
export class EvmKind {
  readonly takesTips: boolean = true;
  readonly hasSequencer: boolean = false;
  readonly takesDataFees: boolean = false;

  /** Adds a fifth: the chain's state may change. Throws `FeeTooHigh` when a node estimates more than any transfer takes. */
  gasLimit(estimate: bigint, of: 'coin' | 'token'): bigint {
    if (estimate > MAX_GAS[of]) throw FeeTooHigh.forGas(estimate, MAX_GAS[of]);
    return estimate === SIMPLEST_GAS ? estimate : (estimate * 6n) / 5n;
  }

  dataFees(_nodes: Endpoints<EthereumNode>, _bytes: () => Uint8Array, _gasLimit: bigint): Promise<DataFees> {
    return Promise.resolve(NO_DATA_FEES);
  }

  isReserved(address: string): boolean {
    return BigInt(address) <= LAST_RESERVED;
  }
}

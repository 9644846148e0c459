import { type DataFees, NO_DATA_FEES } from '../../../../kernel/chain/payment.js';
import type { Endpoints } from '../endpoints.js';
import { gasLimitFor } from './ethereum-fees.js';
import type { EthereumNode } from './ethereum-node.js';

/** The zero address and those of precompiled and system contracts: 0x01 to 0x11, 0x100, 0x1000 to 0x3000, and more with each fork. */
const LAST_RESERVED = 0xffffn;

/**
 * The rules of a kind of network with Ethereum's transactions: the costs of a transaction, and the addresses that receive no payment. This one
 * serves Ethereum, and the kinds that differ from it by configured numbers alone: `polygon` by its lowest tip, `bnb` by a base fee of 0.
 */
export class EvmKind {
  /** Whether block producers take tips. */
  readonly takesTips: boolean = true;
  /** Whether one sequencer makes the blocks. */
  readonly hasSequencer: boolean = false;
  /** Whether it takes fees besides the gas. */
  readonly takesDataFees: boolean = false;

  /** The gas to sign with. Throws `FeeTooHigh` when a node estimates more than any transfer takes. */
  gasLimit(estimate: bigint, of: 'coin' | 'token'): bigint {
    return gasLimitFor(estimate, of);
  }

  /** The fees besides the gas that the chain would take now for a transaction of these unsigned bytes, which most chains do not need. */
  dataFees(_nodes: Endpoints<EthereumNode>, _bytes: () => Uint8Array, _gasLimit: bigint): Promise<DataFees> {
    return Promise.resolve(NO_DATA_FEES);
  }

  /** Whether the address belongs to the chain itself, so that a payment to it is lost. */
  isReserved(address: string): boolean {
    return BigInt(address) <= LAST_RESERVED;
  }
}

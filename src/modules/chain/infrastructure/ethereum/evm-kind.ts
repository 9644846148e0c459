import { FeeTooHigh } from '../../../../kernel/chain/chain.errors.js';
import { type DataFees, NO_DATA_FEES } from '../../../../kernel/chain/payment.js';
import type { Endpoints } from '../endpoints.js';
import type { EthereumNode } from './ethereum-node.js';

/** The zero address and those of precompiled and system contracts: 0x01 to 0x11, 0x100, 0x1000 to 0x3000, and more with each fork. */
const LAST_RESERVED = 0xffffn;

/** The most gas that a coin or token transfer takes. */
const MAX_GAS = { coin: 1_000_000n, token: 5_000_000n };
/** The gas of the simplest transaction on Ethereum: a transfer without code or data takes exactly this. */
const SIMPLEST_GAS = 21_000n;

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

  /**
   * The gas to sign with: a fifth above the estimate, since the chain's state may change before the transaction is included. Throws
   * `FeeTooHigh` when a node estimates more than any transfer takes.
   */
  gasLimit(estimate: bigint, of: 'coin' | 'token'): bigint {
    if (estimate > MAX_GAS[of]) throw FeeTooHigh.forGas(estimate, MAX_GAS[of]);
    return estimate === SIMPLEST_GAS ? estimate : (estimate * 6n) / 5n;
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

import { FeeTooHigh } from '../../../../kernel/chain/chain.errors.js';
import { EvmKind } from './evm-kind.js';

/** The most gas that the network lets one transaction use. Its blocks report 2^50 as their limit, which bounds nothing. */
const MAX_GAS = 32_000_000n;
/** The last address of its system, ArbOS's own. */
const LAST_RESERVED = 0xfffffn;

/**
 * Arbitrum (Nitro). Everything is gas: an estimate contains the data's cost on the chain below, divided by the base fee, and rises with the
 * price there. Its sequencer takes transactions in the order of their arrival, so no tip is taken.
 */
export class ArbitrumKind extends EvmKind {
  override readonly takesTips = false;
  override readonly hasSequencer = true;

  /** Adds a half to the estimate: the price of the chain below may rise until the transaction is included. Unused gas is not paid. */
  override gasLimit(estimate: bigint): bigint {
    if (estimate > MAX_GAS) throw FeeTooHigh.forGas(estimate, MAX_GAS);
    return (estimate * 3n) / 2n;
  }

  override isReserved(address: string): boolean {
    return BigInt(address) <= LAST_RESERVED;
  }
}

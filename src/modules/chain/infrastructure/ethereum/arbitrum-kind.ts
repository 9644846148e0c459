import { FeeTooHigh } from '../../../../kernel/chain/chain.errors.js';
import { EvmKind } from './evm-kind.js';

/** The network's limit for one transaction. Its blocks report 2^50, which bounds nothing. */
const MAX_GAS = 32_000_000n;
/** The last address of ArbOS. */
const LAST_RESERVED = 0xfffffn;

/** Everything is gas: an estimate contains the data's cost on the chain below. The sequencer takes no tips. */
export class ArbitrumKind extends EvmKind {
  override readonly takesTips = false;
  override readonly hasSequencer = true;

  /** Adds a half: the price of the chain below may rise until the transaction is included. Unused gas is not paid. */
  override gasLimit(estimate: bigint): bigint {
    if (estimate > MAX_GAS) throw FeeTooHigh.forGas(estimate, MAX_GAS);
    return (estimate * 3n) / 2n;
  }

  override isReserved(address: string): boolean {
    return BigInt(address) <= LAST_RESERVED;
  }
}

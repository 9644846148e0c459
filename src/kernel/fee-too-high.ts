import { refusal } from './domain-error.js';

/** Fees above a bound of the operator, of the quote or of the amount. It refuses transfers and `sign_transaction`. */
export class FeeTooHigh extends refusal('conflict', 'fee_too_high', {
  message: (message: string) => message,
  help: 'The fees are above a bound that the message names: a ceiling of the operator (ETHEREUM_MAX_FEE_PER_GAS, ETHEREUM_MAX_TIP, SOLANA_MAX_FEE), ten times the quote for a cancellation, or the amount of the transfer itself, which allow_high_fee lifts. Nothing was signed. Try again when fees have fallen.',
}) {
  /** The refusal of fees above a ceiling of the operator. */
  static above(setting: 'ETHEREUM_MAX_FEE_PER_GAS' | 'ETHEREUM_MAX_TIP' | 'SOLANA_MAX_FEE'): FeeTooHigh {
    return new FeeTooHigh(`The fees are above the ceiling that the operator has set by ${setting}.`);
  }
}

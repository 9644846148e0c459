import { DomainError, type FieldError } from '../domain-error.js';

export class InvalidAmount extends DomainError {
  static override readonly code = 'invalid_amount';
  static override readonly kind = 'invalid';
  static override readonly help =
    'An amount is decimal text above zero: digits, and after a point at most as many decimals as the currency has. No sign, no exponent, no leading zeros.';
  override readonly fields: readonly FieldError[];
  constructor(problem: string) {
    super(`The amount ${problem}.`);
    this.fields = [{ field: 'source_amount', rule: 'invalid', message: this.message }];
  }
}

export class InvalidAddress extends DomainError {
  static override readonly code = 'invalid_address';
  static override readonly kind = 'invalid';
  static override readonly help =
    'Ethereum: 0x and 40 digits, checksummed (EIP-55) or all in lower case. Solana: base58 of 32 bytes that are an Ed25519 public key.';
  override readonly fields: readonly FieldError[];
  constructor(message: string, field = 'dest') {
    super(message);
    this.fields = [{ field, rule: 'invalid', message }];
  }
}

export class InvalidDestination extends DomainError {
  static override readonly code = 'invalid_destination';
  static override readonly kind = 'invalid';
  static override readonly help =
    'A payment to the zero address, to a precompiled contract or a native program, to its own source, or of a token to its own contract would be lost or move nothing. Use another address.';
  override readonly fields: readonly FieldError[];
  constructor(problem: string) {
    super(`The destination ${problem}.`);
    this.fields = [{ field: 'dest', rule: 'invalid', message: this.message }];
  }
}

export class InsufficientFunds extends DomainError {
  static override readonly code = 'insufficient_funds';
  static override readonly kind = 'conflict';
  static override readonly help =
    'The wallet holds less than the amount, the fees and what its open transfers may still take. Fees of token transfers are paid in the coin of the chain.';
  constructor(message = 'The wallet does not hold the amount and the fees.') {
    super(message);
  }
}

export class BelowRentMinimum extends DomainError {
  static override readonly code = 'below_rent_minimum';
  static override readonly kind = 'conflict';
  static override readonly help =
    'A Solana account must hold the rent-exempt minimum or nothing: send at least the minimum to a new account, and leave the minimum or nothing in the source.';
}

/** Whether the same payment may be covered once the wallet's other payments are settled. */
export function isShortage(error: unknown): boolean {
  return error instanceof InsufficientFunds || error instanceof BelowRentMinimum;
}

export class PaymentRefusedByChain extends DomainError {
  static override readonly code = 'payment_refused_by_chain';
  static override readonly kind = 'conflict';
  static override readonly help =
    'The chain would refuse this payment: the destination is a contract or a frozen account that refuses it, or the token differs from the asset list.';
}

export class FeesAboveQuote extends DomainError {
  static override readonly code = 'fees_above_quote';
  static override readonly kind = 'conflict';
  static override readonly help =
    'The fees of the chain have risen above the quote of the transfer. Nothing was sent. Create another transfer.';
  constructor() {
    super('The fees of the chain have risen above the quote. Create another transfer.');
  }
}

export class ChainUnavailable extends DomainError {
  static override readonly code = 'chain_unavailable';
  static override readonly kind = 'unavailable';
  static override readonly help =
    'The node of the chain did not answer, or its answer was invalid. Nothing was changed. Try again shortly.';
  override readonly retryAfterSeconds = 5;
  constructor(chain: string, options?: ErrorOptions) {
    super(`The ${chain} node is not available. Try again shortly.`, options);
  }
}

export class NetworkChanged extends DomainError {
  static override readonly code = 'network_changed';
  static override readonly kind = 'conflict';
  static override readonly help =
    'The service is on another network of the chain than the transfer. Nothing was signed now. If the transfer is unconfirmed, create another. One that was signed before may still be carried out on its own network: only a service that is configured for that network can track or cancel it.';
  constructor(quoted: string, current: string) {
    super(`The transfer belongs to ${quoted}; the service is on ${current}. Nothing was signed now.`);
  }
}

export class ChainNotConfigured extends DomainError {
  static override readonly code = 'chain_not_configured';
  static override readonly kind = 'unavailable';
  static override readonly help = 'The operator has configured no node for this chain, so it makes no payments there.';
  constructor(chain: string) {
    super(`No ${chain} node is configured.`);
  }
}

import { DomainError, refusal } from '../domain-error.js';
import type { TransferId } from '../ids.js';
import { type Asset, COIN_DECIMALS, formatAmount } from './asset.js';

export class InvalidAmount extends refusal('invalid', 'invalid_amount', {
  message: (problem: string) => `The amount ${problem}.`,
  help: 'An amount is decimal text above zero: digits, and after a point at most as many decimals as the currency has. No sign, no exponent, no leading zeros.',
  fields: (message) => [{ field: 'source_amount', rule: 'invalid', message }],
}) {}

export class InvalidAddress extends refusal('invalid', 'invalid_address', {
  message: (message: string, _field?: string) => message,
  help: 'Ethereum: 0x and 40 digits, checksummed (EIP-55) or all in lower case. Solana: base58 of 32 bytes that are an Ed25519 public key.',
  fields: (message, [, field = 'dest']) => [{ field, rule: 'invalid', message }],
}) {}

export class InvalidDestination extends refusal('invalid', 'invalid_destination', {
  message: (problem: string) => `The destination ${problem}.`,
  help: 'A payment to the zero address, to a precompiled contract or a native program, to its own source, or of a token to its own contract would be lost or move nothing. Use another address.',
  fields: (message) => [{ field: 'dest', rule: 'invalid', message }],
}) {}

export class InsufficientFunds extends refusal('conflict', 'insufficient_funds', {
  message: (message?: string) => message ?? 'The wallet does not hold the amount and the fees.',
  help: 'The wallet holds less than the amount, the fees and what its open transfers may still take. Fees of token transfers are paid in the coin of the chain. Amounts are in units of the currency, such as ether, not in its smallest units, such as wei.',
}) {
  /** Amounts are in smallest units; open transfers may take `reserved` of `held`. */
  static of(
    asset: Pick<Asset, 'symbol' | 'decimals' | 'token'>,
    { held, reserved = 0n, needed, taker = 'the payment' }: Shortage,
  ): InsufficientFunds {
    const { unit, smallest } = unitsOf(asset);
    const amount = (units: bigint): string => `${formatAmount(units, asset)} ${unit}`;
    const open = reserved > 0n ? `, of which its open transfers may take ${amount(reserved)}` : '';
    return new InsufficientFunds(
      `The wallet holds ${amount(held)}${open}; ${taker} takes up to ${amount(needed)}. Amounts are in ${unit}, not ${smallest}.`,
    );
  }
}

interface Shortage {
  readonly held: bigint;
  readonly reserved?: bigint;
  readonly needed: bigint;
  readonly taker?: string;
}

function unitsOf({ symbol, decimals, token }: Pick<Asset, 'symbol' | 'decimals' | 'token'>) {
  const unit = symbol === 'ETH' ? 'ether' : symbol;
  if (token !== null) return { unit, smallest: `its smallest unit of 10^-${decimals}` };
  return { unit, smallest: decimals === COIN_DECIMALS.solana ? 'lamports' : 'wei' };
}

export class BelowRentMinimum extends refusal('conflict', 'below_rent_minimum', {
  message: (message: string) => message,
  help: 'A Solana account must hold the rent-exempt minimum or nothing: send at least the minimum to a new account, and leave the minimum or nothing in the source.',
}) {}

/** Whether the payment may be covered once the wallet's other payments are settled. */
export function isShortage(error: unknown): boolean {
  return error instanceof InsufficientFunds || error instanceof BelowRentMinimum;
}

export class PaymentRefusedByChain extends refusal('conflict', 'payment_refused_by_chain', {
  message: (message: string) => message,
  help: 'The chain would refuse this payment: the destination is a contract or a frozen account that refuses it, the token differs from the asset list, or it is a mint of Token-2022.',
}) {}

export class FeesAboveQuote extends refusal('conflict', 'fees_above_quote', {
  message: 'The fees of the chain have risen above the quote. Create another transfer.',
  help: 'The fees of the chain have risen above the quote of the transfer. Nothing was sent. Create another transfer.',
}) {}

export class ChainUnavailable extends DomainError {
  static override readonly code = 'chain_unavailable';
  static override readonly kind = 'unavailable';
  static override readonly help =
    'The node of the chain did not answer, or its answer was invalid. Nothing was changed. Try again shortly.';
  override readonly retryAfterSeconds = 5;
  constructor(network: string, options?: ErrorOptions) {
    super(`The node of the network ${network} is not available. Try again shortly.`, options);
  }
}

export class HistoryTooLong extends ChainUnavailable {
  /** `hasAdvanced`: the next look continues where this one has stopped. Otherwise another process may be reading them. */
  constructor(
    network: string,
    readonly hasAdvanced: boolean,
  ) {
    super(network, { cause: new Error('The transactions that name the account are still being read.') });
  }
}

export class BooksBehindChain extends refusal('conflict', 'books_behind_chain', {
  message: (id: TransferId) =>
    `Transfer ${id} may have been paid already: the database and the chain are being compared.`,
  help: 'The chain shows payments of the wallet that the database does not know, or the database was restored. Nothing is signed or cancelled until both are compared, which the service does by itself where it can. Read the transfer again later.',
}) {}

export class NetworkChanged extends refusal('conflict', 'network_changed', {
  message: (quoted: string, current: string) =>
    `The transfer belongs to ${quoted}; the service is on ${current}. Nothing was signed now.`,
  help: 'The service is on another network of the chain than the transfer. Nothing was signed now. If the transfer is unconfirmed, create another. One that was signed before may still be carried out on its own network: only a service that is configured for that network can track or cancel it.',
}) {}

export class ChainNotConfigured extends refusal('unavailable', 'chain_not_configured', {
  message: (network: string) => `No node of the network ${network} is configured.`,
  help: 'The operator has configured no node for this network, so the service makes no payments there.',
}) {}

export class NetworkNotEnabled extends refusal('invalid', 'network_not_enabled', {
  message: (network: string, _field?: string) => `The network ${network} is not enabled for the app.`,
  help: 'The app may use the networks of its setting `networks`; `GET /v1/networks` lists all networks, and whether the app may use them.',
  fields: (message, [, field = 'network']) => [{ field, rule: 'invalid', message }],
}) {}

export class FeeTooHigh extends refusal('conflict', 'fee_too_high', {
  message: (message: string) => message,
  help: 'The fees are above a bound that the message names: a ceiling of the operator (ETHEREUM_MAX_FEE_PER_GAS, ETHEREUM_MAX_TIP, SOLANA_MAX_FEE, or in NETWORKS max_fee_per_gas, max_tip, max_l1_fee), the part of the quote that is reserved for the L1 and operator fee, ten times the quote for a cancellation, or the amount of the transfer itself, which allow_high_fee lifts. Nothing was signed. Try again when fees have fallen.',
}) {
  /** The caller of `sign_transaction` names no network, so the message does. */
  static above(setting: keyof typeof CEILINGS, network?: string): FeeTooHigh {
    const where = network === undefined ? '' : ` for the network ${network}`;
    return new FeeTooHigh(`The fees are above the ceiling that the operator has set by ${CEILINGS[setting]}${where}.`);
  }

  static forGas(estimate: bigint, bound: bigint): FeeTooHigh {
    return new FeeTooHigh(`The node estimates ${estimate} gas for the transaction, more than the bound of ${bound}.`);
  }
}

const CEILINGS = {
  ETHEREUM_MAX_FEE_PER_GAS: 'ETHEREUM_MAX_FEE_PER_GAS (max_fee_per_gas in NETWORKS)',
  ETHEREUM_MAX_TIP: 'ETHEREUM_MAX_TIP (max_tip in NETWORKS)',
  SOLANA_MAX_FEE: 'SOLANA_MAX_FEE',
} as const;

/** It ends a payment that waits to be signed: otherwise the payment would keep its place in the queue and its reservation for long. */
export class DataFeesTooHigh extends FeeTooHigh {
  static aboveReserve(): DataFeesTooHigh {
    return new DataFeesTooHigh(
      'The L1 or the operator fee of the network has risen too far for the part of the quote that is reserved for it. Create another transfer.',
    );
  }

  static aboveCeiling(): DataFeesTooHigh {
    return new DataFeesTooHigh(
      'The L1 and the operator fee together are above the ceiling that the operator has set by max_l1_fee in NETWORKS.',
    );
  }
}

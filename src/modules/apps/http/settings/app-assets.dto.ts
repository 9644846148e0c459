import { isAddress } from '@solana/kit';
import { ethereumAddressOf } from '../../../../services/crypto/keccak.js';
import { ListOf, Nested } from '../../../../edge/http/compound-fields.js';
import { RESETTABLE } from '../../../../edge/http/field.js';
import { DecimalText, OneOf, Text, WholeNumber } from '../../../../edge/http/fields.js';
import { WALLET_TYPE_ALIASES, WALLET_TYPES, type WalletType } from '../../../../kernel/chain/chain-name.js';
import type { AppAsset, TransferPolicy } from '../../domain/transfer-policy.js';
import { InvalidRequest } from '../../../../kernel/errors.js';
import type { ConfiguredNetworks } from '../../../../kernel/chain/networks.js';
import { InvalidAsset } from '../../domain/apps.errors.js';
import { Example } from '../../../../edge/openapi/plugin-schemas.js';
import { given } from '../wire-names.js';

const NAME = { max: 32, pattern: /^[a-z][a-z0-9_-]*$/, patternName: 'a lower-case name such as usd-coin' } as const;

export class AssetRequest {
  /** The name of the token's network. */
  @Text({ min: 1, max: 32, optional: true, example: 'ethereum' })
  readonly network?: string;

  /** The same as `network`, for the networks `ethereum` and `solana`. At least one of the two is required. */
  @OneOf(WALLET_TYPES, { optional: true })
  readonly chain?: WalletType;

  /** The currency's name in transfers. */
  @Text({ ...NAME, min: 1, example: 'usd-coin' })
  readonly name!: string;

  /** The symbol, which callers may use in place of the name. */
  @Text({ min: 1, max: 16, pattern: /^[A-Z][A-Z0-9.]*$/, patternName: 'an upper-case symbol', example: 'USDC' })
  readonly symbol!: string;

  /** The number of decimal places of the token: its smallest unit is 10 to the power of minus this number. */
  @WholeNumber({ min: 0, max: 36, unit: 'decimals' })
  readonly decimals!: number;

  /** The ERC-20 contract, or the mint of Solana's token program. Payments in a mint of Token-2022 are refused. */
  @Text({ min: 1, max: 128 })
  readonly token!: string;
}

export class MaxAmountRequest {
  /** A name such as `ethereum`, which bounds one network's coin, or a symbol such as `ETH`, which bounds it on all networks. */
  @Text({ min: 1, max: 32, pattern: /^[A-Za-z][A-Za-z0-9._-]*$/, patternName: 'a name such as usd-coin, or a symbol' })
  readonly currency!: string;

  /** The most one transfer may pay, as a decimal number of the currency's units. */
  @DecimalText()
  readonly max_amount!: string;
}

export class MaxFeeRequest {
  /** The name of the network in whose coin the fees are paid; `ETH` and `SOL` mean `ethereum` and `solana`. */
  @Text({ min: 1, max: 32, example: 'ethereum' })
  readonly currency!: string;

  /** The most one transaction may take in fees, as a decimal number of the coin's units. */
  @DecimalText()
  readonly max_fee!: string;
}

/**
 * Absent fields stay unchanged; `null` removes a bound, and for the whole policy all of them. Setting a bound also sets `signing_policy.typed_data` to
 * `listed` and `signing_policy.allows_export` to `false`, unless the same request states them.
 */
export class TransferPolicyRequest {
  /**
   * The only addresses that may be paid. An empty list allows none. Once there is a bound of any sort, `sign_transaction`
   * signs nothing but plain payments within it.
   */
  @ListOf(Text({ min: 1, max: 128 }), { max: 1000, ...RESETTABLE })
  readonly allowed_destinations?: string[] | null;

  /** The most one transfer may pay of a currency; currencies not named are not bounded. */
  @ListOf(Nested(() => MaxAmountRequest), { max: 100, ...RESETTABLE })
  readonly max_amounts?: MaxAmountRequest[] | null;

  /**
   * The most one transaction may take in fees, in the coin of its chain. Where it names no bound, `sign_transaction` signs no
   * more fees than `max_amounts` allows to pay of the coin.
   */
  @ListOf(Nested(() => MaxFeeRequest), { max: 64, ...RESETTABLE })
  readonly max_fees?: MaxFeeRequest[] | null;
}

export class AssetResponse {
  /** The name of the token's network. */
  @Example('ethereum')
  network!: string;
  /** The same as `network`. */
  @Example('ethereum')
  chain!: string;
  /** The currency's name in transfers. */
  @Example('usd-coin')
  name!: string;
  /** The symbol, which callers may use in place of the name. */
  @Example('USDC')
  symbol!: string;
  /** The number of decimal places of the token: its smallest unit is 10 to the power of minus this number. */
  @Example(6)
  decimals!: number;
  /** The ERC-20 contract or the SPL mint, in canonical form. */
  @Example('0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48')
  token!: string;

  static of(asset: AppAsset): AssetResponse {
    return { network: asset.chain, ...asset };
  }
}

export class MaxAmountResponse {
  /** The currency's name, such as `ethereum`, or its symbol. */
  @Example('ethereum')
  currency!: string;
  /** The most one transfer may pay, as a decimal number of the currency's whole units. */
  @Example('0.5')
  max_amount!: string;
}

export class MaxFeeResponse {
  /** The name of the network in whose coin the fees are paid. */
  @Example('ethereum')
  currency!: string;
  /** The most one transaction may take in fees, as a decimal number of the coin's whole units. */
  @Example('0.01')
  max_fee!: string;
}

export class TransferPolicyResponse {
  /** The only addresses that may be paid; `null` if any address may be paid. */
  allowed_destinations!: string[] | null;
  /** The most one transfer may pay of a currency. Currencies that are not named are not bounded. */
  max_amounts!: MaxAmountResponse[];
  /** The most one transaction may take in fees, in the coin of its chain. */
  max_fees!: MaxFeeResponse[];

  static of({ allowedDestinations, maxAmounts = {}, maxFees = {} }: TransferPolicy): TransferPolicyResponse {
    return {
      allowed_destinations: allowedDestinations ? [...allowedDestinations] : null,
      max_amounts: Object.entries(maxAmounts).map(([currency, max_amount]) => ({ currency, max_amount })),
      max_fees: Object.entries(maxFees).map(([currency, max_fee]) => ({ currency, max_fee })),
    };
  }
}

/** The assets that a request names, addresses in their canonical form. Throws `InvalidAsset`. */
export function assetsIn(assets: readonly AssetRequest[], networks: ConfiguredNetworks): AppAsset[] {
  return assets.map(({ network: asked, chain = asked, name, symbol, decimals, token }) => {
    const network = networks.named((asked ?? chain) || '');
    if (!network) throw new InvalidAsset(`${asked ?? 'an asset without a network'} is not a network of the service`);
    if (chain !== network.name) throw new InvalidAsset(`${name} has two networks, ${network.name} and ${chain}`);
    const canonical = network.walletType === 'ethereum' ? ethereumAddressOf(token) : solanaAddressOf(token);
    if (canonical === null) throw new InvalidAsset(`${token} is not an address of ${network.name}`);
    for (const word of [name, symbol.toLowerCase()])
      if (networks.named(word) || word === network.native.symbol.toLowerCase())
        throw new InvalidAsset(`${word} names the coin of a network`);
    return { chain: network.name, name, symbol, decimals, token: canonical };
  });
}

/** The networks that a request names. Throws `InvalidRequest`. */
export function networksIn(names: readonly string[], networks: ConfiguredNetworks): readonly string[] {
  const faults = names.flatMap((name, index) =>
    networks.named(name)
      ? []
      : [{ field: `networks[${index}]`, rule: 'invalid', message: 'must be a network of the service' }],
  );
  if (faults.length > 0) throw new InvalidRequest(faults);
  return names;
}

type PolicyChanges = { [K in keyof TransferPolicy]: TransferPolicy[K] | null };

const NO_POLICY: PolicyChanges = { allowedDestinations: null, maxAmounts: null, maxFees: null, networkIds: null };

/** The changes of policy in a request; null removes all bounds. Throws `InvalidAsset`. */
export function transferPolicyIn(request: TransferPolicyRequest | null, networks: ConfiguredNetworks): PolicyChanges {
  if (request === null) return NO_POLICY;
  const { allowed_destinations: destinations, max_amounts: amounts, max_fees: fees } = request;
  const maxAmounts = amounts && amountsIn(amounts);
  const maxFees = fees && feesIn(fees, networks);
  const idOf = (name: string): [string, string[]][] => {
    const id = networks.named(name)?.id ?? null;
    return id === null ? [] : [[name, [id]]];
  };
  return given({
    allowedDestinations: destinations && destinations.map(addressOf),
    maxAmounts,
    maxFees,
    ...((maxAmounts || maxFees) && {
      networkIds: Object.fromEntries(Object.keys({ ...maxAmounts, ...maxFees }).flatMap(idOf)),
    }),
  });
}

function amountsIn(amounts: readonly MaxAmountRequest[]): Record<string, string> {
  return boundsIn(
    'max_amounts',
    amounts.map(({ currency, max_amount: max }) => ({ name: currency.toLowerCase(), max })),
  );
}

function feesIn(fees: readonly MaxFeeRequest[], networks: ConfiguredNetworks): Record<string, string> {
  const nameOf = (currency: string): string => WALLET_TYPE_ALIASES[currency.toUpperCase()] ?? currency.toLowerCase();
  for (const [index, { currency }] of fees.entries()) {
    const field = `transfer_policy.max_fees[${index}].currency`;
    if (!networks.named(nameOf(currency))) throw new InvalidAsset(`${currency} is not a network of the service`, field);
  }
  return boundsIn(
    'max_fees',
    fees.map(({ currency, max_fee: max }) => ({ name: nameOf(currency), max })),
  );
}

function boundsIn(
  field: string,
  bounds: readonly { readonly name: string; readonly max: string }[],
): Record<string, string> {
  const twice = bounds.find(({ name }, index) => bounds.findIndex((each) => each.name === name) !== index);
  if (twice) throw new InvalidAsset(`${twice.name} is bounded more than once`, `transfer_policy.${field}`);
  return Object.fromEntries(bounds.map(({ name, max }) => [name, max]));
}

function addressOf(text: string): string {
  const canonical = ethereumAddressOf(text) ?? solanaAddressOf(text);
  if (canonical === null) throw new InvalidAsset(`${text} is not an address`, 'transfer_policy.allowed_destinations');
  return canonical;
}

/** Base58 of 32 bytes, which has only one spelling. */
function solanaAddressOf(text: string): string | null {
  return isAddress(text) ? text : null;
}

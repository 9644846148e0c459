import { readFileSync } from 'node:fs';
import { type ChainName, WALLET_TYPE_ALIASES, WALLET_TYPES, type WalletType } from '../../kernel/chain/chain-name.js';
import { ConfiguredNetworks, networkOf } from '../../kernel/chain/networks.js';

// Faults contain no value, because endpoints may have keys.

const EVM_KINDS = ['ethereum', 'op', 'arbitrum', 'polygon', 'bnb'] as const;
export type EvmKindName = (typeof EVM_KINDS)[number];
export const NETWORK_KINDS = [...EVM_KINDS, 'solana'] as const;

/** A tag of the node, or the number of blocks on top. */
export type Finality = 'finalized' | 'safe' | number;

interface NetworkSettings {
  readonly name: ChainName;
  readonly rpc: readonly string[];
  readonly symbol: string;
  readonly decimals: number;
  readonly explorer: string | null;
}

export interface EvmNetwork extends NetworkSettings {
  readonly kind: EvmKindName;
  readonly chainId: number;
  readonly finality: Finality;
  /** The unit of this and the next two is wei per gas. */
  readonly minTip: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxTip: bigint;
  /** The unit of this and the next is wei. */
  readonly maxL1Fee: bigint;
  /** The most that a transaction of a caller may take for gas, under a rule that bounds an amount. */
  readonly maxTransactionFee: bigint;
}

export interface SolanaNetwork extends NetworkSettings {
  readonly kind: 'solana';
  /** The CAIP-2 name of the cluster; null: the cluster of the first use. */
  readonly id: string | null;
}

export type Network = EvmNetwork | SolanaNetwork;

interface Standard extends Pick<EvmNetwork, 'symbol'> {
  /** The unit of this and the next two is gwei. */
  readonly minTip: string;
  readonly maxFeePerGas: string;
  readonly maxTip: string;
}

export const STANDARDS: Readonly<Record<EvmKindName, Standard>> = {
  ethereum: { symbol: 'ETH', minTip: '0.001', maxFeePerGas: '500', maxTip: '50' },
  op: { symbol: 'ETH', minTip: '0.001', maxFeePerGas: '500', maxTip: '50' },
  arbitrum: { symbol: 'ETH', minTip: '0', maxFeePerGas: '500', maxTip: '50' },
  // Nodes of Polygon refuse tips below 25 gwei, and the base fee is often above 100 gwei.
  polygon: { symbol: 'POL', minTip: '25', maxFeePerGas: '2000', maxTip: '500' },
  // The tip is the price, because the network has no base fee.
  bnb: { symbol: 'BNB', minTip: '0.05', maxFeePerGas: '50', maxTip: '50' },
};
/** The unit is the native currency. */
const STANDARD_MAX_L1_FEE = '0.01';

/** The unit is ether. In another coin the ceiling is that of 1,000,000 gas at the highest price. */
export const STANDARD_TRANSACTION_FEE = '0.05';
const STANDARD_TRANSACTION_GAS = 1_000_000n;

const EVM_FIELDS = [
  'id',
  'kind',
  'rpc',
  'finality',
  'symbol',
  'decimals',
  'explorer',
  'min_tip',
  'max_fee_per_gas',
  'max_tip',
  'max_transaction_fee',
];
const SOLANA_FIELDS = ['id', 'kind', 'rpc', 'symbol', 'decimals', 'explorer'];

export interface Shorthand {
  readonly variables: readonly string[];
  readonly id: string | null;
}

export function networksIn(
  text: string,
  shorthands: Readonly<Record<WalletType, Shorthand>>,
): { readonly networks: readonly Network[]; readonly faults: readonly string[] } {
  const json = jsonOf(text);
  if (json === null) return { networks: [], faults: ['NETWORKS must name a JSON file that can be read, or be JSON.'] };
  const list = parsed(json);
  if (!isRecord(list)) return { networks: [], faults: ['NETWORKS must be a JSON object of networks by name.'] };
  const faults = repeatedKeys(json).map((path) => `NETWORKS: ${path} is given twice.`);
  const entries = Object.entries(list).map(([name, given]) => {
    const fault = (field: string, sentence: string): void => void faults.push(`NETWORKS: ${name}.${field} ${sentence}`);
    return { name, given, entry: new Entry(isRecord(given) ? given : {}, fault) };
  });
  const ids = new Map<string, string>();
  for (const { variables, id } of Object.values(shorthands))
    if (variables.length > 0 && id !== null) ids.set(id, variables.join(', '));
  const networks = entries.flatMap(({ name, given, entry }) => {
    if (!/^[a-z][a-z0-9_-]{0,31}$/.test(name)) {
      faults.push(
        'NETWORKS: the name of a network must be 1 to 32 lower-case letters, digits, - or _, first a letter.',
      );
      return [];
    }
    if (!isRecord(given)) {
      faults.push(`NETWORKS: ${name} must be an object.`);
      return [];
    }
    const { id } = given;
    if (typeof id === 'string') {
      if (ids.has(id)) faults.push(`NETWORKS: ${name}.id is that of another network too (${ids.get(id)}).`);
      else ids.set(id, name);
    }
    if (name.toUpperCase() in WALLET_TYPE_ALIASES)
      faults.push(`NETWORKS: ${name} cannot be the name of a network, because callers name a currency by it.`);
    const variables = WALLET_TYPES.flatMap((type) => (type === name ? shorthands[type].variables : []));
    if (variables.length > 0) faults.push(`NETWORKS: ${name} is given twice: here and by ${variables.join(', ')}.`);
    return [entry.network(name)];
  });
  return { networks, faults };
}

/** Faults are collected, so the values of faulty fields do not matter. */
class Entry {
  constructor(
    private readonly given: Readonly<Record<string, unknown>>,
    private readonly fault: (field: string, sentence: string) => void,
  ) {}

  /** Wallets of the types `ethereum` and `solana` pay on the networks of these names unless the call names another. */
  network(name: ChainName): Network {
    if (name === 'solana') return this.solana(name);
    const kinds = name === 'ethereum' ? EVM_KINDS : [...EVM_KINDS, 'solana'];
    const kind = kinds.find((each) => each === this.given['kind']);
    if (kind === undefined) this.fault('kind', `must be one of ${kinds.join(', ')}.`);
    return kind === 'solana' ? this.solana(name) : this.evm(name, kind as EvmKindName | undefined);
  }

  private evm(name: ChainName, kind: EvmKindName = 'ethereum'): EvmNetwork {
    this.refuseUnknown(kind === 'op' ? [...EVM_FIELDS, 'max_l1_fee'] : EVM_FIELDS);
    const [, digits] = /^eip155:([1-9]\d{0,15})$/.exec(this.text('id')) ?? [];
    const chainId = Number(digits ?? 1);
    if (digits === undefined || !Number.isSafeInteger(chainId)) this.fault('id', 'must be eip155: and the chain id.');
    const standard = STANDARDS[kind];
    const fees = {
      minTip: this.amount('min_tip', standard.minTip, 9, 'gwei'),
      maxFeePerGas: this.amount('max_fee_per_gas', standard.maxFeePerGas, 9, 'gwei'),
      maxTip: this.amount('max_tip', standard.maxTip, 9, 'gwei'),
      maxL1Fee: this.amount('max_l1_fee', STANDARD_MAX_L1_FEE, 18, 'the native currency'),
    };
    const shared = this.shared(standard.symbol, 18);
    const isStandard = this.given['max_transaction_fee'] === undefined && shared.symbol !== 'ETH';
    const maxTransactionFee = isStandard
      ? STANDARD_TRANSACTION_GAS * fees.maxFeePerGas
      : this.amount('max_transaction_fee', STANDARD_TRANSACTION_FEE, 18, 'the native currency');
    if (kind === 'arbitrum' && fees.minTip > 0n) this.fault('min_tip', 'must be 0: the kind arbitrum takes no tips.');
    if (this.given['min_tip'] !== undefined && fees.minTip > fees.maxTip)
      this.fault('min_tip', 'must not be above max_tip.');
    return { name, kind, chainId, finality: this.finality(), ...fees, maxTransactionFee, ...shared };
  }

  private solana(name: ChainName): SolanaNetwork {
    if (this.given['kind'] !== 'solana') this.fault('kind', 'must be solana.');
    this.refuseUnknown(SOLANA_FIELDS);
    const id = this.text('id');
    if (!/^solana:[1-9A-HJ-NP-Za-km-z]{32}$/.test(id))
      this.fault('id', 'must be solana: and the first 32 characters of the genesis hash.');
    return { name, kind: 'solana', id, ...this.shared('SOL', 9) };
  }

  private shared(symbol: string, decimals: number): Pick<Network, 'rpc' | 'symbol' | 'decimals' | 'explorer'> {
    const { symbol: givenSymbol = symbol, decimals: givenDecimals = decimals, explorer = null } = this.given;
    if (typeof givenSymbol !== 'string' || !/^[A-Z][A-Z0-9]{0,9}$/.test(givenSymbol))
      this.fault('symbol', 'must be 1 to 10 upper-case letters or digits, first a letter.');
    if (givenDecimals !== decimals) this.fault('decimals', `must be ${decimals}: nodes count the coin in these units.`);
    if (explorer !== null && !(typeof explorer === 'string' && explorer.includes('{hash}') && isHttpUrl(explorer)))
      this.fault('explorer', 'must be a URL that begins with http:// or https:// and has {hash} for the hash.');
    return { rpc: this.rpc(), symbol: String(givenSymbol), decimals, explorer: explorer as string | null };
  }

  private rpc(): readonly string[] {
    const { rpc } = this.given;
    const urls = Array.isArray(rpc)
      ? rpc.filter((url): url is string => typeof url === 'string' && isHttpUrl(url))
      : [];
    if (!Array.isArray(rpc) || rpc.length === 0 || urls.length < rpc.length)
      this.fault('rpc', 'must be a list of URLs that begin with http:// or https://.');
    else if (hasTwice(urls)) this.fault('rpc', 'must not name a URL twice.');
    return urls;
  }

  private finality(): Finality {
    const { finality = 'finalized' } = this.given;
    if (finality === 'finalized' || finality === 'safe') return finality;
    if (Number.isInteger(finality) && (finality as number) >= 0 && (finality as number) <= 100_000)
      return finality as number;
    this.fault('finality', 'must be "finalized", "safe", or a whole number of blocks from 0 to 100000.');
    return 'finalized';
  }

  private amount(field: string, standard: string, decimals: number, unit: string): bigint {
    const units = unitsOf(this.given[field] ?? standard, decimals);
    if (units === null)
      this.fault(
        field,
        `must be an amount of ${unit} in quotation marks, from 0 to 999999, with at most ${decimals} decimals.`,
      );
    return units ?? 0n;
  }

  private text(field: string): string {
    const value = this.given[field];
    return typeof value === 'string' ? value : '';
  }

  private refuseUnknown(known: readonly string[]): void {
    for (const field of Object.keys(this.given).filter((each) => !known.includes(each)))
      this.fault(/^[a-z0-9_]{1,40}$/.test(field) ? field : '…', 'is not a field of this kind of network.');
  }
}

export function configuredNetworks(networks: readonly Network[]): ConfiguredNetworks {
  return new ConfiguredNetworks(
    networks.map((network) => {
      const { name, kind, symbol, explorer, rpc } = network;
      const id = kind === 'solana' ? network.id : caip2Of(network.chainId);
      return networkOf({ name, id, kind, symbol, explorer, hasNode: rpc.length > 0 });
    }),
  );
}

/** Apps without the setting `networks` cannot use such a network, although it has the chain of a standard. */
export function nameWarnings(networks: ConfiguredNetworks): readonly string[] {
  return WALLET_TYPES.flatMap((standard) => {
    const id = networks.named(standard)?.id;
    const used = id ? networks.byId(id)! : null;
    if (used === null || used.name === standard) return [];
    return [
      `NETWORKS: ${used.name} has the chain of ${standard}. Apps without the setting networks cannot use it: name it ${standard}.`,
    ];
  });
}

export function caip2Of(chainId: number): string {
  return `eip155:${chainId}`;
}

export function unitsOf(text: unknown, decimals: number): bigint | null {
  if (typeof text !== 'string') return null;
  const [, whole, fraction = ''] = /^(\d{1,6})(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === undefined || fraction.length > decimals) return null;
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}

function jsonOf(text: string): string | null {
  if (/^[[{]/.test(text)) return text;
  try {
    return readFileSync(text, 'utf8').trim();
  } catch {
    return null;
  }
}

/** The error of the parser would contain a part of the text. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

/** The parser keeps the last value of a repeated key without an error. */
function repeatedKeys(json: string): readonly string[] {
  const repeated: string[] = [];
  const open: { readonly keys: Set<string>; key: string }[] = [];
  for (const [token, key] of json.matchAll(/("(?:[^"\\]|\\.)*")\s*:|"(?:[^"\\]|\\.)*"|[{}]/g)) {
    if (token === '{') open.push({ keys: new Set(), key: '' });
    else if (token === '}') open.pop();
    else if (key !== undefined) {
      const object = open.at(-1)!;
      object.key = JSON.parse(key) as string;
      if (object.keys.has(object.key)) repeated.push(open.map((each) => each.key).join('.'));
      object.keys.add(object.key);
    }
  }
  return repeated;
}

export function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);
}

export function hasTwice(urls: readonly string[]): boolean {
  return new Set(urls.map((url) => new URL(url).href)).size < urls.length;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

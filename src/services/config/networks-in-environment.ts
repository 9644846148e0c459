import type { EnvironmentReader } from './environment-reader.js';
import {
  caip2Of,
  type EvmNetwork,
  hasTwice,
  isHttpUrl,
  type Network,
  networksIn,
  type SolanaNetwork,
  STANDARD_TRANSACTION_FEE,
  STANDARDS,
  unitsOf,
} from './networks.js';

const ETHEREUM_VARIABLES = [
  'ETHEREUM_RPC_URL',
  'ETHEREUM_CHAIN_ID',
  'ETHEREUM_FINALITY_DEPTH',
  'ETHEREUM_MAX_FEE_PER_GAS',
  'ETHEREUM_MAX_TIP',
  'ETHEREUM_MAX_TRANSACTION_FEE',
  'ETHEREUM_MIN_TIP',
];

/** `ethereum` and `solana`, each from NETWORKS or from its own variables, then the rest of NETWORKS. */
export function networksOf(read: EnvironmentReader): readonly Network[] {
  const [ethereum, solana] = [ethereumIn(read), solanaIn(read)];
  const text = read.text('NETWORKS');
  if (text === undefined) return [ethereum, solana];
  const setNames = (names: readonly string[]): string[] => names.filter((name) => read.text(name) !== undefined);
  const { networks, faults } = networksIn(text, {
    ethereum: { variables: setNames(ETHEREUM_VARIABLES), id: caip2Of(ethereum.chainId) },
    solana: { variables: setNames(['SOLANA_RPC_URL']), id: null },
  });
  read.faults.push(...faults);
  const standards = [ethereum, solana].map(
    (standard) => networks.find(({ name }) => name === standard.name) ?? standard,
  );
  return [...standards, ...networks.filter((network) => !standards.includes(network))];
}

export function networksOn(
  read: EnvironmentReader,
  name: string,
  networks: readonly Network[],
): (network: string) => boolean {
  const words = (read.text(name) ?? 'on').split(',').map((word) => word.trim());
  if (words.length === 1 && (words[0] === 'on' || words[0] === 'off')) return () => words[0] === 'on';
  const fault = `${name} must be on, off, or names of networks separated by commas`;
  const unknown = words.filter((word) => !networks.some((network) => network.name === word));
  // A word of another form may be a secret that belongs elsewhere.
  if (!words.every((word) => /^[a-z][a-z0-9_-]{0,31}$/.test(word))) read.faults.push(`${fault}.`);
  else if (unknown.length > 0) read.faults.push(`${fault}; no network has the name ${unknown.join(', ')}.`);
  return (network) => words.includes(network);
}

function ethereumIn(read: EnvironmentReader): EvmNetwork {
  const { symbol, minTip, maxFeePerGas, maxTip } = STANDARDS.ethereum;
  const depth = read.integer('ETHEREUM_FINALITY_DEPTH', 0, 0, 100_000);
  const network = {
    name: 'ethereum',
    kind: 'ethereum',
    rpc: urlsIn(read, 'ETHEREUM_RPC_URL'),
    chainId: read.integer('ETHEREUM_CHAIN_ID', 1, 1, Number.MAX_SAFE_INTEGER),
    finality: read.text('ETHEREUM_FINALITY_DEPTH') === undefined ? 'finalized' : depth,
    maxFeePerGas: gweiIn(read, 'ETHEREUM_MAX_FEE_PER_GAS', maxFeePerGas),
    maxTip: gweiIn(read, 'ETHEREUM_MAX_TIP', maxTip),
    minTip: gweiIn(read, 'ETHEREUM_MIN_TIP', minTip),
    maxL1Fee: 0n,
    maxTransactionFee: weiIn(read, 'ETHEREUM_MAX_TRANSACTION_FEE', STANDARD_TRANSACTION_FEE, 'ether', 18),
    symbol,
    decimals: 18,
    explorer: null,
  } as const;
  if (read.text('ETHEREUM_MIN_TIP') !== undefined && network.minTip > network.maxTip)
    read.faults.push('ETHEREUM_MIN_TIP must not be above ETHEREUM_MAX_TIP.');
  return network;
}

function solanaIn(read: EnvironmentReader): SolanaNetwork {
  const rpc = urlsIn(read, 'SOLANA_RPC_URL');
  return { name: 'solana', kind: 'solana', id: null, rpc, symbol: 'SOL', decimals: 9, explorer: null };
}

/** The unit is wei. Decimals are accepted, because fees of rollups are far below 1 gwei. */
function gweiIn(read: EnvironmentReader, name: string, standard: string): bigint {
  return weiIn(read, name, standard, 'gwei', 9);
}

function weiIn(read: EnvironmentReader, name: string, standard: string, unit: string, decimals: number): bigint {
  const wei = unitsOf(read.text(name) ?? standard, decimals);
  if (wei !== null) return wei;
  read.faults.push(`${name} must be an amount of ${unit} from 0 to 999999, with at most ${decimals} decimals.`);
  return 0n;
}

function urlsIn(read: EnvironmentReader, name: string): readonly string[] {
  const text = read.text(name);
  if (text === undefined) return [];
  const urls = text.split(',').map((url) => url.trim());
  if (!urls.every(isHttpUrl))
    read.faults.push(`${name} must be URLs that begin with http:// or https://, separated by commas.`);
  else if (hasTwice(urls)) read.faults.push(`${name} must not name a URL twice.`);
  return urls;
}

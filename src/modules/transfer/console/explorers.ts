const onSolana = (cluster: string) => (signature: string) => `https://explorer.solana.com/tx/${signature}${cluster}`;
const onEtherscan = (host: string) => (hash: string) => `https://${host}/tx/${hash}`;

/** The page of a transaction at a block explorer, by the CAIP-2 id of the network that the transaction was signed for. */
const PAGES: ReadonlyMap<string, (hash: string) => string> = new Map([
  ['eip155:1', onEtherscan('etherscan.io')],
  ['eip155:10', onEtherscan('optimistic.etherscan.io')],
  ['eip155:137', onEtherscan('polygonscan.com')],
  ['eip155:8453', onEtherscan('basescan.org')],
  ['eip155:42161', onEtherscan('arbiscan.io')],
  ['eip155:11155111', onEtherscan('sepolia.etherscan.io')],
  ['solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', onSolana('')],
  ['solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1', onSolana('?cluster=devnet')],
  ['solana:4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z', onSolana('?cluster=testnet')],
]);

/** Where to look a transaction up; null for a network without a known explorer, such as a local chain. */
export function explorerOf(network: string, hash: string): { readonly site: string; readonly url: string } | null {
  const url = PAGES.get(network)?.(hash);
  return url === undefined ? null : { site: new URL(url).host, url };
}

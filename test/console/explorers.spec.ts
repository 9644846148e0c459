import { readFileSync } from 'node:fs';
import { explorerOf } from '../../src/modules/transfer/console/explorers.js';

const HASH = `0x${'5a'.repeat(32)}`;
const SIGNATURE = '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW';

const PAGES = [
  ['eip155:1', HASH, `https://etherscan.io/tx/${HASH}`],
  ['eip155:11155111', HASH, `https://sepolia.etherscan.io/tx/${HASH}`],
  ['eip155:10', HASH, `https://optimistic.etherscan.io/tx/${HASH}`],
  ['eip155:137', HASH, `https://polygonscan.com/tx/${HASH}`],
  ['eip155:8453', HASH, `https://basescan.org/tx/${HASH}`],
  ['eip155:42161', HASH, `https://arbiscan.io/tx/${HASH}`],
  ['solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', SIGNATURE, `https://explorer.solana.com/tx/${SIGNATURE}`],
  ['solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1', SIGNATURE, `https://explorer.solana.com/tx/${SIGNATURE}?cluster=devnet`],
  ['solana:4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z', SIGNATURE, `https://explorer.solana.com/tx/${SIGNATURE}?cluster=testnet`],
] as const;

describe('the explorer of a network', () => {
  it.each(PAGES)('of %s shows a transaction at its page', (network, hash, url) => {
    const page = explorerOf(network, hash);
    expect(page).toEqual({ site: new URL(url).host, url });
  });

  it.each([
    'eip155:31337',
    'eip155:01',
    'EIP155:1',
    'eip155:1 ',
    'eip155:',
    'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
    'solana:5EYKT4USFV8P8NJDTREPY1VZQKQZKVDP',
    'toString',
    '__proto__',
    '',
  ])('of %j is not known', (network) => {
    expect(explorerOf(network, HASH)).toBeNull();
  });

  it('is known for exactly the networks that have a name', () => {
    const { values } = JSON.parse(readFileSync('src/console/strings.json', 'utf8')) as {
      values: Readonly<Record<string, string>>;
    };
    const named = Object.keys(values).filter((value) => value.includes(':'));
    expect(named.toSorted()).toEqual(PAGES.map(([network]) => network).toSorted());
    for (const network of named) expect(values[network]).toContain(`(${network})`);
  });
});

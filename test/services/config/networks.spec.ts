import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Config, ConfigurationRefused } from '../../../src/services/config/config.js';
import { configuredNetworks, nameWarnings } from '../../../src/services/config/networks.js';

const GWEI = 10n ** 9n;
const BASE = { id: 'eip155:8453', kind: 'op', rpc: ['https://user:secret@base.example/secret'] };
const SOLANA = {
  id: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  kind: 'solana',
  rpc: ['https://solana.example/secret'],
};

const read = (networks: unknown, env: Record<string, string> = {}): Config =>
  Config.read({ NETWORKS: typeof networks === 'string' ? networks : JSON.stringify(networks), ...env });

function faultsOf(networks: unknown, env: Record<string, string> = {}): readonly string[] {
  try {
    read(networks, env);
    return [];
  } catch (error) {
    return (error as ConfigurationRefused).faults;
  }
}

describe('the list of networks', () => {
  it('makes the EVM network one of another kind, with the numbers of its kind', () => {
    const { ethereum, networks } = read({ ethereum: BASE, solana: SOLANA });
    expect(ethereum).toEqual({
      name: 'ethereum',
      kind: 'op',
      chainId: 8453,
      rpc: BASE.rpc,
      finality: 'finalized',
      symbol: 'ETH',
      decimals: 18,
      explorer: null,
      minTip: GWEI / 1_000n,
      maxFeePerGas: 500n * GWEI,
      maxTip: 50n * GWEI,
      maxL1Fee: 10n ** 16n,
      maxTransactionFee: 5n * 10n ** 16n,
    });
    expect(networks[1]).toMatchObject({ name: 'solana', id: SOLANA.id, rpc: SOLANA.rpc });
  });

  it('reads every field', () => {
    const polygon = {
      id: 'eip155:137',
      kind: 'polygon',
      rpc: ['https://a.example', 'https://b.example'],
      finality: 'safe',
      symbol: 'POL',
      decimals: 18,
      explorer: 'https://explorer.example/tx/{hash}',
      min_tip: '30.5',
      max_fee_per_gas: '900',
      max_tip: '100',
    };
    const { id: _id, min_tip: _tip, max_fee_per_gas: _fee, max_tip: _most, ...same } = polygon;
    expect(read({ ethereum: polygon }).ethereum).toMatchObject({
      ...same,
      chainId: 137,
      minTip: 30_500_000_000n,
      maxFeePerGas: 900n * GWEI,
      maxTip: 100n * GWEI,
      maxTransactionFee: 900_000_000n * GWEI,
    });
    const ofFee = (max_transaction_fee: unknown, symbol = 'POL') =>
      read({ ethereum: { ...polygon, symbol, max_transaction_fee } }).ethereum.maxTransactionFee;
    expect([ofFee('2.5'), ofFee('0'), ofFee(undefined, 'ETH')]).toEqual([25n * 10n ** 17n, 0n, 5n * 10n ** 16n]);
    expect(read({ ethereum: { ...BASE, finality: 12, max_l1_fee: '0.5' } }).ethereum).toMatchObject({
      finality: 12,
      maxL1Fee: 5n * 10n ** 17n,
    });
    expect(read({ ethereum: { ...polygon, min_tip: undefined } }).ethereum.minTip).toBe(25n * GWEI);
  });

  it('is a file too', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'networks-')), 'networks.json');
    writeFileSync(file, JSON.stringify({ ethereum: BASE }));
    expect(read(file).ethereum.chainId).toBe(8453);
    expect(faultsOf(`${file}.secret`)).toEqual(['NETWORKS must name a JSON file that can be read, or be JSON.']);
  });

  it('leaves the networks of the other variables as they are', () => {
    const { ethereum, networks } = read(
      { solana: SOLANA },
      { ETHEREUM_RPC_URL: 'https://a.example', ETHEREUM_CHAIN_ID: '5' },
    );
    expect(ethereum).toMatchObject({ kind: 'ethereum', chainId: 5, rpc: ['https://a.example'] });
    expect(networks[1]!.rpc).toEqual(SOLANA.rpc);
    expect(read({ ethereum: BASE }, { SOLANA_RPC_URL: 'https://b.example' }).networks[1]!.rpc).toEqual([
      'https://b.example',
    ]);
  });

  it.each([
    ['kind', { kind: 'secret' }],
    ['kind', { kind: undefined }],
    ['id', { id: 'eip155:secret' }],
    ['id', { id: 8453 }],
    ['id', { id: 'eip155:9999999999999999' }],
    ['rpc', { rpc: [] }],
    ['rpc', { rpc: 'https://secret.example' }],
    ['rpc', { rpc: ['ftp://secret.example'] }],
    ['rpc', { rpc: ['https://secret.example', 'https://SECRET.example/'] }],
    ['finality', { finality: 'latest' }],
    ['finality', { finality: -1 }],
    ['finality', { finality: '3' }],
    ['symbol', { symbol: 'secret!' }],
    ['decimals', { decimals: 9 }],
    ['explorer', { explorer: 'https://secret.example/tx' }],
    ['explorer', { explorer: 'javascript:{hash}' }],
    ['min_tip', { min_tip: 1 }],
    ['min_tip', { min_tip: '60' }],
    ['max_tip', { max_tip: '-1' }],
    ['max_fee_per_gas', { max_fee_per_gas: '1e9' }],
    ['max_transaction_fee', { max_transaction_fee: '0.0000000000000000001' }],
    ['max_l1_fee', { max_l1_fee: '0.0000000000000000001' }],
    ['max_l1_fee', { kind: 'ethereum', max_l1_fee: '0.1' }],
    ['min_tip', { kind: 'arbitrum', min_tip: '1' }],
    ['secret', { secret: 'secret' }],
  ])('names the network and the faulty field %s of %j, and no value', (field, changes) => {
    const [fault, ...more] = faultsOf({ ethereum: { ...BASE, ...changes } });
    expect(fault).toMatch(new RegExp(`^NETWORKS: ethereum\\.${field} `));
    expect(fault!.replace(`ethereum.${field}`, '')).not.toMatch(/secret/i);
    expect(more).toEqual([]);
  });

  it.each([
    ['id', { id: 'solana:secret' }],
    ['kind', { kind: 'ethereum' }],
    ['finality', { finality: 'finalized' }],
    ['decimals', { decimals: 18 }],
  ])('names the faulty field %s of Solana', (field, changes) => {
    const faults = faultsOf({ solana: { ...SOLANA, ...changes } });
    expect(faults).toEqual([expect.stringMatching(new RegExp(`^NETWORKS: solana\\.${field} `))]);
  });

  it('has any number of networks by name, each of its kind', () => {
    const cluster = { ...SOLANA, id: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1' };
    const { networks } = read(
      { base: BASE, 'solana-devnet': cluster, chapel: { ...BASE, id: 'eip155:97', kind: 'bnb' } },
      { ETHEREUM_RPC_URL: 'https://a.example' },
    );
    expect(networks.map(({ name, kind, symbol }) => [name, kind, symbol])).toEqual([
      ['ethereum', 'ethereum', 'ETH'],
      ['solana', 'solana', 'SOL'],
      ['base', 'op', 'ETH'],
      ['solana-devnet', 'solana', 'SOL'],
      ['chapel', 'bnb', 'BNB'],
    ]);
    expect(networks.map(({ rpc }) => rpc.length)).toEqual([1, 0, 1, 1, 1]);
  });

  it('refuses an unknown kind, and names that mean a currency', () => {
    expect(faultsOf({ base: { ...BASE, kind: 'zksync' } })).toEqual([
      'NETWORKS: base.kind must be one of ethereum, op, arbitrum, polygon, bnb, solana.',
    ]);
    expect(faultsOf({ eth: BASE })).toEqual([expect.stringMatching(/^NETWORKS: eth cannot be the name of a network/)]);
    expect(faultsOf({ constructor: BASE })).toEqual([]);
  });

  it('refuses a name or an id that is given twice, also by the other variables', () => {
    const twice = `{"ethereum": ${JSON.stringify(BASE)}, "ethereum": ${JSON.stringify(BASE)}}`;
    expect(faultsOf(twice)).toEqual(['NETWORKS: ethereum is given twice.']);
    const field = `{"ethereum": {"kind": "op", "id": "eip155:1", "rpc": ["https://a.example"], "kind": "bnb"}}`;
    expect(faultsOf(field)).toEqual(['NETWORKS: ethereum.kind is given twice.']);
    expect(faultsOf({ ethereum: BASE }, { ETHEREUM_MAX_TIP: '1', ETHEREUM_CHAIN_ID: '1' })).toEqual([
      'NETWORKS: ethereum is given twice: here and by ETHEREUM_CHAIN_ID, ETHEREUM_MAX_TIP.',
    ]);
    expect(faultsOf({ solana: SOLANA }, { SOLANA_RPC_URL: 'https://a.example' })).toEqual([
      'NETWORKS: solana is given twice: here and by SOLANA_RPC_URL.',
    ]);
    const same = 'NETWORKS: base.id is that of another network too (ethereum).';
    expect(faultsOf({ ethereum: BASE, base: BASE })).toContain(same);
    expect(faultsOf({ base: BASE }, { ETHEREUM_CHAIN_ID: '8453' })).toContain(
      'NETWORKS: base.id is that of another network too (ETHEREUM_CHAIN_ID).',
    );
  });

  it('warns of the chain of ethereum under another name, which apps without a setting cannot use', () => {
    const warningsOf = (networks: unknown) => nameWarnings(configuredNetworks(read(networks).networks));
    const mainnet = { ...BASE, kind: 'ethereum', id: 'eip155:1' };
    expect(warningsOf({ mainnet, base: BASE })).toEqual([
      expect.stringMatching(/^NETWORKS: mainnet has the chain of ethereum\./),
    ]);
    expect(warningsOf({ ethereum: mainnet, base: BASE, solana: SOLANA })).toEqual([]);
    expect(warningsOf({ base: BASE })).toEqual([]);
  });

  it.each(['{', '[]', '{"ethereum": "secret"}', '{"Secret Name": {}}'])('refuses %s without its text', (text) => {
    const [fault, ...more] = faultsOf(text);
    expect(fault).toMatch(/^NETWORKS/);
    expect(fault).not.toMatch(/secret/i);
    expect(more).toEqual([]);
  });
});

describe('the networks whose deposits are searched', () => {
  const names = ['ethereum', 'solana', 'base', 'l2'];
  const searched = (deposits: string): string[] =>
    names.filter(read({ base: BASE }, { DEPOSITS: deposits }).depositsOn);

  it.each([
    ['on', names],
    ['off', []],
    ['base', ['base']],
    [' base , solana', ['solana', 'base']],
  ])('are with %j those of %j', (deposits, on) => {
    expect(searched(deposits)).toEqual(on);
  });

  it.each([
    ['bsae', 'bsae'],
    ['base,l2,ethreum', 'l2, ethreum'],
    ['on,base', 'on'],
    ['base,off', 'off'],
  ])('cannot be %j, because no network has the name %s', (deposits, unknown) => {
    const fault = `DEPOSITS must be on, off, or names of networks separated by commas; no network has the name ${unknown}.`;
    expect(faultsOf({ base: BASE }, { DEPOSITS: deposits })).toEqual([fault]);
  });

  it.each(['Base', 'base;l2', 'https://user:secret@base.example', 'base,', ','])('cannot be %j', (deposits) => {
    const fault = 'DEPOSITS must be on, off, or names of networks separated by commas.';
    expect(faultsOf({ base: BASE }, { DEPOSITS: deposits })).toEqual([fault]);
  });
});

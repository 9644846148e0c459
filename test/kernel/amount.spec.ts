import { parseAmount as parsedAmount } from '../../src/kernel/chain/amount.js';
import { formatAmount } from '../../src/kernel/chain/asset.js';
import { type Asset, MAX_UNITS } from '../../src/kernel/chain/asset.js';
import { type ConfiguredNetwork, ConfiguredNetworks, networkOf } from '../../src/kernel/chain/networks.js';
import { InvalidAmount } from '../../src/kernel/chain/chain.errors.js';
import { NATIVE_ASSETS, STANDARD_NETWORKS } from '../support/native-assets.js';

const { ethereum, solana } = NATIVE_ASSETS;
const whole: Asset = { chain: 'ethereum', name: 'ticket', symbol: 'TCK', decimals: 0, token: `0x${'1'.repeat(40)}` };

const parseAmount = (text: string, asset: Asset): bigint =>
  parsedAmount(text, asset, asset.chain === 'solana' ? 'solana' : 'ethereum');

function unitsOf(text: string, asset: Asset): bigint | null {
  try {
    return parseAmount(text, asset);
  } catch (error) {
    if (error instanceof InvalidAmount) return null;
    throw error;
  }
}

describe('an amount', () => {
  it.each([
    ['1', ethereum, 10n ** 18n],
    ['0.000000000000000001', ethereum, 1n],
    ['0.1', solana, 100_000_000n],
    ['1.10', solana, 1_100_000_000n],
    ['18446744073.709551615', solana, MAX_UNITS.solana],
    ['7', whole, 7n],
    [`${'9'.repeat(59)}.5`, ethereum, BigInt('9'.repeat(59)) * 10n ** 18n + 5n * 10n ** 17n],
  ])('%s is exact in smallest units', (text, asset, units) => {
    expect(parseAmount(text, asset)).toBe(units);
  });

  it.each([
    '',
    ' ',
    '1 ',
    ' 1',
    '1\n',
    '+1',
    '-1',
    '-0',
    '1.',
    '.5',
    '.',
    '1..2',
    '1.2.3',
    '01',
    '00',
    '00.5',
    '1e3',
    '1E3',
    '0x1',
    '1n',
    '1,5',
    '1_000',
    '١',
    '１',
    'NaN',
    'Infinity',
    'null',
    '0',
    '0.0',
    '0.000000000000000000',
    '0.0000000000000000001',
    '1'.repeat(61),
    '9'.repeat(60),
    '\u00001',
    '1\u0000',
    '½',
    '1/2',
    '--1',
    '1-',
    'one',
  ])('%j is none', (text) => {
    expect(() => parseAmount(text, ethereum)).toThrow(InvalidAmount);
  });

  it('of one unit more than the chain can hold is none', () => {
    expect(parseAmount('18446744073.709551615', solana)).toBe(MAX_UNITS.solana);
    expect(() => parseAmount('18446744073.709551616', solana)).toThrow(InvalidAmount);
    const most = formatAmount(MAX_UNITS.ethereum, ethereum);
    expect(parseAmount(most, ethereum)).toBe(MAX_UNITS.ethereum);
    expect(() => parseAmount(formatAmount(MAX_UNITS.ethereum + 1n, ethereum), ethereum)).toThrow(InvalidAmount);
  });

  it('has no more decimals than its asset, and a whole asset has none', () => {
    expect(() => parseAmount('0.0000000001', solana)).toThrow(InvalidAmount);
    expect(() => parseAmount('1.0', whole)).toThrow(InvalidAmount);
  });

  it('names the field it came in', () => {
    expect(() => parseAmount('-1', ethereum)).toThrow(
      expect.objectContaining({
        code: 'invalid_amount',
        fields: [expect.objectContaining({ field: 'source_amount' })],
      }),
    );
  });

  // Random texts: an amount that is taken must match the rule in words, and must come back as it went in.
  it('is taken exactly when the grammar says so, and survives being written again', () => {
    const alphabet = ['0', '1', '5', '9', '.', '-', '+', 'e', ' ', ',', 'x'];
    let state = 0x2545f491;
    const random = (below: number) => {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      return Math.abs(state) % below;
    };
    let taken = 0;
    const wrong: string[] = [];
    for (let i = 0; i < 50_000; i++) {
      const letters = i % 2 === 0 ? 5 : alphabet.length;
      const text = Array.from({ length: 1 + random(8) }, () => alphabet[random(letters)]).join('');
      const asset = [ethereum, solana, whole][random(3)]!;
      const fraction = asset.decimals === 0 ? '' : `(\\.\\d{1,${asset.decimals}})?`;
      const isAmount = new RegExp(`^(0|[1-9]\\d{0,59})${fraction}$`).test(text) && /[1-9]/.test(text);
      const units = unitsOf(text, asset);
      if ((units !== null) !== isAmount) wrong.push(text);
      if (units === null) continue;
      taken += 1;
      const written = formatAmount(units, asset);
      if (unitsOf(written, asset) !== units || Number(written) !== Number(text))
        wrong.push(`${text} became ${written}`);
    }
    expect(wrong).toEqual([]);
    expect(taken).toBeGreaterThan(1_000);
  });
});

describe('smallest units as text', () => {
  it.each([
    [0n, 18, '0'],
    [1n, 18, '0.000000000000000001'],
    [10n ** 18n, 18, '1'],
    [1_500_000_000n, 9, '1.5'],
    [123n, 0, '123'],
    [120n, 0, '120'],
    [100n, 2, '1'],
  ])('%s of %s decimals are %s', (units, decimals, text) => {
    expect(formatAmount(units, { decimals })).toBe(text);
  });
});

const base = networkOf({
  name: 'base',
  id: 'eip155:8453',
  kind: 'op',
  symbol: 'ETH',
  explorer: null,
  hasNode: true,
});
const networks: readonly ConfiguredNetwork[] = [...STANDARD_NETWORKS, base];

describe('a currency', () => {
  const onBase: Asset = { ...whole, chain: 'base' };
  const named = (text: string, tokens: readonly Asset[] = [], network?: string) =>
    new ConfiguredNetworks(networks).assetsNamed(text, tokens, network);

  it('is named by network, by name or by symbol, in any case', () => {
    for (const name of ['ethereum', 'ETH', 'eth', 'Ethereum']) expect(named(name)).toEqual([ethereum]);
    for (const name of ['solana', 'SOL', 'sol']) expect(named(name)).toEqual([solana]);
    for (const name of ['base', 'Base']) expect(named(name)).toEqual([base.native]);
    for (const name of ['ticket', 'TCK', 'tck']) expect(named(name, [whole])).toEqual([whole]);
  });

  it('has its symbol on the network that is given', () => {
    for (const name of ['base', 'ETH']) expect(named(name, [], 'base')).toEqual([base.native]);
    for (const name of ['ethereum', 'SOL']) expect(named(name, [], 'base')).toEqual([]);
    expect(named('ETH', [], 'elsewhere')).toEqual([]);
  });

  it('may be on several networks, and is one where the network is given', () => {
    expect(named('ticket', [whole, onBase])).toEqual([whole, onBase]);
    expect(named('ticket', [whole, onBase], 'base')).toEqual([onBase]);
    expect(named('ticket', [whole], 'base')).toEqual([]);
  });

  it('that is not listed is unknown, and so is one of a network that is not configured', () => {
    for (const name of ['', 'bitcoin', 'tck', 'constructor', '__proto__']) expect(named(name)).toEqual([]);
    expect(named('ticket', [{ ...whole, chain: 'elsewhere' }])).toEqual([]);
  });

  it('cannot take the place of the coin of a network', () => {
    const token = { ...whole, symbol: 'BASE', name: 'ethereum' };
    expect(named('ethereum', [token])).toEqual([ethereum, token]);
    expect(named('base', [token])).toEqual([base.native, token]);
  });
});

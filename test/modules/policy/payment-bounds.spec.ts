import {
  DestinationNotAllowed,
  FeeLimitExceeded,
  TransferLimitExceeded,
} from '../../../src/modules/policy/domain/policy.errors.js';
import { assertAllowed, assertFeeAllowed } from '../../../src/modules/policy/domain/payment-bounds.js';

describe('the policy of an app', () => {
  const payment = { asset: { name: 'ethereum', symbol: 'ETH', decimals: 18 }, dest: 'dest', amount: 10n ** 18n };

  it.each(['1', '1.0', '1.0000000000000000009', '2'])('with a bound of %s ether allows one', (max) => {
    expect(() => assertAllowed({ maxAmounts: { ethereum: max } }, payment)).not.toThrow();
  });

  it.each(['0', '0.0', '0.999999999999999999', '0.9999999999999999999'])('with a bound of %s ether does not', (max) => {
    expect(() => assertAllowed({ maxAmounts: { ethereum: max } }, payment)).toThrow(TransferLimitExceeded);
  });

  it.each(['eth', 'ETH'])('finds the bound of a currency by its symbol: %s', (currency) => {
    const allow = (max: string) => () => assertAllowed({ maxAmounts: { [currency]: max } }, payment);
    expect(allow('1')).not.toThrow();
    expect(allow('0.9')).toThrow(TransferLimitExceeded);
    expect(() => assertFeeAllowed({ maxFees: { [currency]: '0.9' } }, payment)).toThrow(FeeLimitExceeded);
  });

  it.each([
    ['base', 'ETH', ['eth', 'ETH'], ['ethereum']],
    ['ethereum', 'POL', ['eth', 'ethereum', 'pol'], ['base']],
  ])('bounds the coin of %s with the symbol %s by %p, not by %p', (name, symbol, bounding, others) => {
    const allow = (currency: string) => () =>
      assertAllowed({ maxAmounts: { [currency]: '0.9' } }, { ...payment, asset: { name, symbol, decimals: 18 } });
    for (const currency of bounding) expect(allow(currency)).toThrow(TransferLimitExceeded);
    for (const currency of others) expect(allow(currency)).not.toThrow();
  });

  it('applies the smaller one of two bounds that name and symbol state', () => {
    for (const maxAmounts of [
      { ethereum: '9', eth: '0.9' },
      { ethereum: '0.9', eth: '10' },
    ])
      expect(() => assertAllowed({ maxAmounts }, payment)).toThrow(TransferLimitExceeded);
  });

  it('with an empty list of destinations allows none', () => {
    expect(() => assertAllowed({ allowedDestinations: [] }, payment)).toThrow(DestinationNotAllowed);
    expect(() => assertAllowed({ allowedDestinations: ['dest'] }, payment)).not.toThrow();
  });
});

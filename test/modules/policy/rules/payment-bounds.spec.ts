import {
  DestinationNotAllowed,
  FeeLimitExceeded,
  TransferLimitExceeded,
} from '../../../../src/modules/policy/rules/domain/policy.errors.js';
import {
  assertAllowed,
  assertFeeAllowed,
  feeRefusalUnderAmounts,
} from '../../../../src/modules/policy/rules/domain/payment-bounds.js';

/** The network `base` has another name since the bounds were set. */
const NETWORKS = {
  nameOf: (network: string) => (network === 'eip155:8453' ? 'l2' : network),
  walletTypeOf: (name: string) => (name === 'base' ? null : ('ethereum' as const)),
};

describe('the policy of an app', () => {
  const payment = { asset: { name: 'ethereum', symbol: 'ETH', decimals: 18 }, dest: 'dest', amount: 10n ** 18n };

  it.each(['1', '1.0', '1.0000000000000000009', '2'])('with a bound of %s ether allows one', (max) => {
    expect(() => assertAllowed({ maxAmounts: { ethereum: max } }, payment, NETWORKS)).not.toThrow();
  });

  it.each(['0', '0.0', '0.999999999999999999', '0.9999999999999999999'])('with a bound of %s ether does not', (max) => {
    expect(() => assertAllowed({ maxAmounts: { ethereum: max } }, payment, NETWORKS)).toThrow(TransferLimitExceeded);
  });

  it.each(['eth', 'ETH'])('finds the bound of a currency by its symbol: %s', (currency) => {
    const allow = (max: string) => () => assertAllowed({ maxAmounts: { [currency]: max } }, payment, NETWORKS);
    expect(allow('1')).not.toThrow();
    expect(allow('0.9')).toThrow(TransferLimitExceeded);
    expect(() => assertFeeAllowed({ maxFees: { [currency]: '0.9' } }, payment, NETWORKS)).toThrow(FeeLimitExceeded);
  });

  it.each([
    ['base', 'ETH', ['eth', 'ETH'], ['ethereum']],
    ['ethereum', 'POL', ['eth', 'ethereum', 'pol'], ['base']],
  ])('bounds the coin of %s with the symbol %s by %p, not by %p', (name, symbol, bounding, others) => {
    const allow = (currency: string) => () =>
      assertAllowed(
        { maxAmounts: { [currency]: '0.9' } },
        { ...payment, asset: { name, symbol, decimals: 18 } },
        NETWORKS,
      );
    for (const currency of bounding) expect(allow(currency)).toThrow(TransferLimitExceeded);
    for (const currency of others) expect(allow(currency)).not.toThrow();
  });

  it('applies the smaller one of two bounds that name and symbol state', () => {
    for (const maxAmounts of [
      { ethereum: '9', eth: '0.9' },
      { ethereum: '0.9', eth: '10' },
    ])
      expect(() => assertAllowed({ maxAmounts }, payment, NETWORKS)).toThrow(TransferLimitExceeded);
  });

  it('with an empty list of destinations allows none', () => {
    expect(() => assertAllowed({ allowedDestinations: [] }, payment, NETWORKS)).toThrow(DestinationNotAllowed);
    expect(() => assertAllowed({ allowedDestinations: ['dest'] }, payment, NETWORKS)).not.toThrow();
  });

  it('bounds fees by the ceiling of the network where its name bounded those of another chain', () => {
    const networks = { ...NETWORKS, maxTransactionFeeOf: () => 5n * 10n ** 16n };
    const policy = { maxFees: { base: '1000' }, networkIds: { base: ['eip155:8453'] } };
    const refusalOn = (name: string, amount = 10n ** 18n) =>
      feeRefusalUnderAmounts(policy, { asset: { name, symbol: 'ETH', decimals: 18 }, amount }, networks);
    expect(refusalOn('l2')).toBeNull();
    expect(refusalOn('base')).toBeInstanceOf(FeeLimitExceeded);
    expect(refusalOn('base', 10n ** 16n)).toBeNull();
  });

  it('allows a fee as high as its bound or as the ceiling of the network, which the name of its coin replaces', () => {
    expect(() => assertFeeAllowed({ maxFees: { ethereum: '1' } }, payment, NETWORKS)).not.toThrow();
    const refusal = (ceiling: bigint | null, maxFees = {}) =>
      feeRefusalUnderAmounts({ maxFees }, payment, { ...NETWORKS, maxTransactionFeeOf: () => ceiling });
    expect(refusal(payment.amount)).toBeNull();
    expect(refusal(payment.amount - 1n)).toBeInstanceOf(FeeLimitExceeded);
    expect(refusal(payment.amount - 1n, { ethereum: '1' })).toBeNull();
    expect(refusal(payment.amount - 1n, { base: '1' })).toBeInstanceOf(FeeLimitExceeded);
    expect(refusal(null)).toBeNull();
  });

  it('bounds fees that a caller has chosen as amounts where its name bounded those of another chain', () => {
    const fee = (name: string) => ({
      asset: { name, symbol: 'ETH', decimals: 18 },
      amount: 10n ** 18n,
      isChosen: true,
    });
    const bounds = {
      maxFees: { base: '1000' },
      maxAmounts: { eth: '0.5' },
      networkIds: { base: ['eip155:8453'] },
    };
    expect(() => assertFeeAllowed(bounds, fee('base'), NETWORKS)).toThrow(FeeLimitExceeded);
    expect(() => assertFeeAllowed(bounds, fee('l2'), NETWORKS)).not.toThrow();
  });

  it('bounds the coin of a network by the name that it had when the bound was set, and no other coin', () => {
    const networkIds = { base: ['eip155:1', 'eip155:8453'], gone: ['eip155:10'] };
    const renamed = { ...payment, asset: { name: 'l2', symbol: 'ETH', decimals: 18 } };
    const amounts = { maxAmounts: { base: '0.9', gone: '0.1' }, networkIds };
    expect(() => assertAllowed(amounts, renamed, NETWORKS)).toThrow(TransferLimitExceeded);
    expect(() => assertAllowed(amounts, payment, NETWORKS)).not.toThrow();
    const fees = { maxFees: { base: '0.9', gone: '0.1' }, networkIds };
    expect(() => assertFeeAllowed(fees, renamed, NETWORKS)).toThrow(FeeLimitExceeded);
    expect(() => assertFeeAllowed(fees, payment, NETWORKS)).not.toThrow();
  });
});

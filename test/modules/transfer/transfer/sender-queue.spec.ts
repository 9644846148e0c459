import type { Asset } from '../../../../src/kernel/chain/asset.js';
import { BelowRentMinimum, InsufficientFunds } from '../../../../src/kernel/chain/chain.errors.js';
import type { Balances, Payment } from '../../../../src/kernel/chain/payment.js';
import type { AppId } from '../../../../src/kernel/ids.js';
import {
  assertCovered,
  booksStateOf,
  HELD,
  isAhead,
  isFull,
  isWaiting,
  keyOf,
  NoncesDoubted,
  NOTHING_RESERVED,
  queueAfter,
  reservedWith,
  SENDER_QUEUE_CAPACITY,
  type SenderQueue,
} from '../../../../src/modules/transfer/transfer/domain/sender-queue.js';

const COIN: Asset = { chain: 'solana', name: 'solana', symbol: 'SOL', decimals: 9, token: null } as Asset;
const TOKEN: Asset = { ...COIN, name: 'usdc', symbol: 'USDC', decimals: 6, token: 'mint' } as Asset;
const payment = (amount: bigint, asset = COIN) => ({ asset, amount }) as Payment;

describe('the state of the books', () => {
  it.each([
    ['h1', 'h1', null, 'current'],
    ['h1', null, 'h1', 'current'],
    ['h1', 'h0', 'h1', 'current'],
    ['h1', 'h0', 'h0', 'unchecked'],
    ['h1', null, null, 'unchecked'],
    ['h1', 'h1', HELD, 'behind'],
    ['h1', null, HELD, 'behind'],
  ])('of a database on %p, of a transfer of %p and a queue of %p is %p', (ofDatabase, ofTransfer, ofQueue, state) => {
    expect(booksStateOf({ ofDatabase, ofTransfer, ofQueue })).toBe(state);
  });
});

describe('the nonces of the chain', () => {
  it.each([
    [5, 5, 5, false],
    [6, 5, 5, true],
    [5, 6, 5, true],
    [0, 0, null, false],
    [1, 0, null, true],
  ])('%p and %p are ahead of %p: %p', (latest, pending, next, isSo) => {
    expect(isAhead({ latest, pending }, next)).toBe(isSo);
  });

  it.each([
    [5, 5, 5, false],
    [5, 6, 5, true],
    [5, 6, 6, false],
    [6, 6, 5, false],
    [0, 1, null, true],
    [1, 1, null, false],
  ])('%p and %p show a transaction that waits beyond %p: %p', (latest, pending, next, isSo) => {
    expect(isWaiting({ latest, pending }, next)).toBe(isSo);
  });

  it('are named by what doubts them', () => {
    const seen = { latest: 70, pending: 71 };
    expect(new NoncesDoubted(seen)).toMatchObject({ seen, message: expect.stringContaining('71') });
  });
});

describe('a sender queue', () => {
  const queue: SenderQueue = { nextNonce: 5, open: 2, queuedBefore: 1, reserved: { coin: 1n, asset: 2n } };

  it('has a name of its own for each app, network and address', () => {
    const id = { appId: 'app_a' as AppId, network: 'eip155:1', address: '0xA' };
    const names = [id, { ...id, appId: 'app_b' as AppId }, { ...id, network: 'eip155:2' }, { ...id, address: '0xB' }];
    expect(new Set(names.map(keyOf)).size).toBe(4);
  });

  it('is longer by a signed payment, or by one that waits', () => {
    const signed = queueAfter(queue, payment(10n), 3n, { nonce: 5 });
    expect(signed).toEqual({ nextNonce: 6, open: 3, queuedBefore: 1, reserved: { coin: 14n, asset: 0n } });
    expect(queueAfter(queue, payment(10n, TOKEN), 3n, { nonce: 2 })).toMatchObject({ nextNonce: 5, open: 3 });
    expect(queueAfter({ ...queue, nextNonce: null }, payment(1n), 3n, { nonce: 0 }).nextNonce).toBe(1);
    expect(queueAfter({ ...queue, nextNonce: null }, payment(1n), 3n, { nonce: null }).nextNonce).toBeNull();
    const waiting = queueAfter(queue, payment(10n, TOKEN), 3n, null);
    expect(waiting).toEqual({ nextNonce: 5, open: 2, queuedBefore: 2, reserved: { coin: 4n, asset: 12n } });
  });

  it('is full once its signed payments and those that wait before take all places', () => {
    const waitingBefore = (queuedBefore: number) => isFull({ ...queue, queuedBefore });
    expect([SENDER_QUEUE_CAPACITY - 3, SENDER_QUEUE_CAPACITY - 2].map(waitingBefore)).toEqual([false, true]);
  });

  it('reserves the amount of a token apart from its fee', () => {
    expect(reservedWith(NOTHING_RESERVED, payment(10n), 3n)).toEqual({ coin: 13n, asset: 0n });
    expect(reservedWith(NOTHING_RESERVED, payment(10n, TOKEN), 3n)).toEqual({ coin: 3n, asset: 10n });
  });
});

describe('a payment', () => {
  const covered = (
    paid: Payment,
    balances: Balances,
    { reserved = NOTHING_RESERVED, minimumLeft = 0n, feeCap = 3n } = {},
  ) => assertCovered(paid, { balances, feeCap, minimumLeft }, reserved, COIN);
  const thrown = (work: () => void): Error => {
    try {
      work();
    } catch (error) {
      return error as Error;
    }
    throw new Error('Nothing was refused.');
  };

  it('is covered by exactly its amount and fee, and not by less', () => {
    expect(() => covered(payment(10n), { coin: 13n, asset: 13n })).not.toThrow();
    expect(() => covered(payment(10n), { coin: 12n, asset: 12n })).toThrow(InsufficientFunds);
    const reserved = { coin: 1n, asset: 0n };
    expect(() => covered(payment(10n), { coin: 14n, asset: 14n }, { reserved })).not.toThrow();
    expect(() => covered(payment(10n), { coin: 13n, asset: 13n }, { reserved })).toThrow(InsufficientFunds);
    expect(thrown(() => covered(payment(10n), { coin: 12n, asset: 12n })).message).toContain(
      'the payment with its fees',
    );
  });

  it('of a token needs the amount of it, and the fee of the coin', () => {
    expect(() => covered(payment(10n, TOKEN), { coin: 3n, asset: 10n })).not.toThrow();
    expect(thrown(() => covered(payment(10n, TOKEN), { coin: 3n, asset: 9n })).message).toContain('USDC');
    expect(thrown(() => covered(payment(10n, TOKEN), { coin: 2n, asset: 10n })).message).toContain(
      'the fee of the payment',
    );
    const reserved = { coin: 1n, asset: 1n };
    expect(() => covered(payment(10n, TOKEN), { coin: 4n, asset: 11n }, { reserved })).not.toThrow();
    expect(() => covered(payment(10n, TOKEN), { coin: 4n, asset: 10n }, { reserved })).toThrow(InsufficientFunds);
    expect(() => covered(payment(10n, TOKEN), { coin: 3n, asset: 11n }, { reserved })).toThrow(InsufficientFunds);
    // The coin has no balance of its own as an asset.
    expect(() => covered(payment(10n), { coin: 13n, asset: 0n })).not.toThrow();
  });

  it('leaves nothing, or at least the minimum', () => {
    const minimumLeft = 5n;
    expect(() => covered(payment(10n), { coin: 13n, asset: 13n }, { minimumLeft })).not.toThrow();
    expect(() => covered(payment(10n), { coin: 18n, asset: 18n }, { minimumLeft })).not.toThrow();
    for (const coin of [14n, 17n])
      expect(() => covered(payment(10n), { coin, asset: coin }, { minimumLeft })).toThrow(BelowRentMinimum);
    expect(thrown(() => covered(payment(10n), { coin: 17n, asset: 17n }, { minimumLeft })).message).toContain(
      'would leave 0.000000004 SOL',
    );
  });

  it('empties no wallet with a minimum while others are open', () => {
    const reserved = { coin: 1n, asset: 0n };
    const all = { coin: 14n, asset: 14n };
    expect(thrown(() => covered(payment(10n), all, { reserved, minimumLeft: 5n })).message).toContain('would empty');
    expect(() => covered(payment(10n), all, { reserved })).not.toThrow();
    expect(() => covered(payment(11n), all, { minimumLeft: 5n })).not.toThrow();
  });
});

import { newId } from '../../../../src/kernel/ids.js';
import {
  type SenderQueue,
  SENDER_QUEUE_CAPACITY,
  isFull,
  nonceFor,
  NoncesDoubted,
} from '../../../../src/modules/transfer/transfer/domain/sender-queue.js';
import { TransferEvent } from '../../../../src/modules/transfer/transfer/domain/transfer.events.js';
import {
  type Attempt,
  isOverdue,
  Transfer,
  type TransferStatus,
} from '../../../../src/modules/transfer/transfer/domain/transfer.js';
import {
  TransferAlreadyConfirmed,
  TransferCancelled,
  TransferExpired,
} from '../../../../src/modules/transfer/transfer/domain/transfer.errors.js';

const created = new Date('2026-01-01T12:00:00Z');
const expiry = new Date('2026-01-01T12:02:00Z');
const before = new Date(expiry.getTime() - 1);
const mined = { hash: '0x1', block: { number: 7, hash: '0xb', time: new Date('2026-01-01T12:01:00Z') } };

function transfer(fields: Partial<Transfer> = {}): Transfer {
  return Object.assign(Object.create(Transfer.prototype) as Transfer, {
    id: newId('transfer'),
    status: 'unconfirmed',
    stage: null,
    sourceAddress: 'source',
    dest: 'dest',
    chain: 'ethereum',
    currency: 'ethereum',
    symbol: 'ETH',
    decimals: 18,
    token: null,
    amount: 100n,
    feeCap: 10n,
    fee: null,
    l1Fee: 0n,
    operatorFee: 0n,
    hash: null,
    createdAt: created,
    updatedAt: created,
    expiresAt: expiry,
    confirmedAt: null,
    minedBlock: null,
    minedBlockHash: null,
    includedAt: null,
    stuckSince: null,
    ...fields,
  });
}

describe('a signed payment', () => {
  it('is replaced as long after its newest attempt as the operator says', () => {
    const attempts = [0, 60, 90].map((seconds) => ({ createdAt: new Date(created.getTime() + seconds * 1_000) }));
    const isDueAt = (seconds: number) =>
      isOverdue(attempts as unknown as Attempt[], new Date(created.getTime() + seconds * 1_000), 60);
    expect([149, 150, 151].map(isDueAt)).toEqual([false, true, true]);
  });

  it('is mined as the same transaction only in the same block, with the same result, and while it is in one', () => {
    const paid = transfer({ status: 'pending', stage: 'submitted', hash: '0x1' }).mine(mined, true, before);
    expect([paid.isMinedAs(mined, true), paid.isMinedAs(mined, false)]).toEqual([true, false]);
    expect(paid.isMinedAs({ ...mined, hash: '0x2' }, true)).toBe(false);
    expect(paid.isMinedAs({ ...mined, block: { ...mined.block, hash: '0xc' } }, true)).toBe(false);
    expect(paid.submit('0x1', before).isMinedAs(mined, true)).toBe(false);
  });
});

describe('confirming a transfer', () => {
  it('is possible until the instant of expiry, and refused at it', () => {
    expect(transfer().awaitsConfirmation(before)).toBe(true);
    expect(() => transfer().awaitsConfirmation(expiry)).toThrow(TransferExpired);
    expect(() => transfer().sign('0x1', expiry)).toThrow(TransferExpired);
  });

  it.each(['pending', 'completed', 'failed'] as const)('never acts again on a %s one', (status) => {
    expect(transfer({ status }).awaitsConfirmation(before)).toBe(false);
  });

  it.each<[TransferStatus, new (...args: never[]) => Error]>([
    ['cancelled', TransferCancelled],
    ['expired', TransferExpired],
  ])('is refused on a %s one', (status, Refusal) => {
    expect(() => transfer({ status }).awaitsConfirmation(before)).toThrow(Refusal);
  });
});

describe('a transfer', () => {
  it('costs its quote until the chain has taken less', () => {
    const signed = transfer().sign('0x1', before);
    expect([signed.sourceAmount(), signed.totalFees()]).toEqual([110n, 10n]);
    const completed = signed.complete({ ...mined, fee: 4n }, expiry);
    expect([completed.sourceAmount(), completed.totalFees()]).toEqual([104n, 4n]);
  });

  it('of a token pays its fees in the coin of the chain', () => {
    expect(transfer({ token: '0xt' }).sourceAmount()).toBe(100n);
  });

  it.each<[TransferStatus, boolean | null, boolean]>([
    ['unconfirmed', null, true],
    ['awaiting_approval', null, true],
    ['pending', null, true],
    ['completed', null, true],
    ['failed', null, true],
    ['failed', false, true],
    ['failed', true, false],
    // The fact that a payment is safe to repeat proves something only of a failed one.
    ['completed', true, true],
    ['pending', true, true],
    ['rejected', true, false],
    ['rejected', null, false],
    ['expired', true, false],
    ['expired', null, false],
    ['cancelled', null, false],
    ['cancelled', false, false],
  ])('that is %s, with retry_safe %s, may have paid: %s', (status, retrySafe, mayHavePaid) => {
    expect(transfer({ status, retrySafe }).mayHavePaid()).toBe(mayHavePaid);
  });

  it('keeps the time of its block while it is in the same one, also when it completes there', () => {
    const signed = transfer().sign('0x1', before);
    const { time } = mined.block;
    expect(signed.mine(mined, true, expiry).includedAt).toEqual(time);
    const untimed = { hash: '0x1', block: { number: 7, hash: null } };
    const inBlock = signed.mine(untimed, true, before);
    expect(inBlock.includedAt).toEqual(before);
    expect(inBlock.complete({ ...mined, fee: 4n }, expiry).includedAt).toEqual(before);
    const later = { ...mined, block: { ...mined.block, number: 8 }, fee: 4n };
    expect(inBlock.complete(later, expiry).includedAt).toEqual(time);
  });

  it('is not confirmed by a transaction that does not pay, such as a cancellation', () => {
    const signed = transfer().sign('0x1', before);
    expect(signed.mine(mined, false, expiry)).toMatchObject({ stage: 'mined', includedAt: null });
    expect(signed.mine(mined, true, before).mine(mined, false, expiry).includedAt).toBeNull();
  });

  it('is confirmed before it is completed, and unconfirmed before it has failed or is cancelled', () => {
    const signed = transfer().sign('0x1', before);
    const inBlock = signed.mine(mined, true, before);
    const eventsOf = (from: Transfer, to: Transfer) =>
      TransferEvent.ofChange(from, to).map(({ type, data }) => [type, (data as { status: string }).status]);
    const unconfirmed = ['transfer.unconfirmed_again', 'pending'];
    const completed = [['transfer.completed', 'completed']];
    expect(eventsOf(signed, signed.complete({ ...mined, fee: 1n }, expiry))).toEqual([
      ['transfer.confirmed', 'pending'],
      ...completed,
    ]);
    expect(eventsOf(inBlock, inBlock.complete({ ...mined, fee: 1n }, expiry))).toEqual(completed);
    expect(eventsOf(inBlock, inBlock.fail('reverted', { retrySafe: true, fee: 1n }, expiry))).toEqual([
      unconfirmed,
      ['transfer.failed', 'failed'],
    ]);
    expect(eventsOf(inBlock, inBlock.cancel(expiry, true))).toEqual([unconfirmed, ['transfer.cancelled', 'cancelled']]);
    expect(eventsOf(inBlock, inBlock.sign('0x2', expiry))).toEqual([unconfirmed]);
    expect(eventsOf(inBlock, inBlock.markStuck('not_final', expiry))).toEqual([['transfer.stuck', 'pending']]);
  });

  it('is no longer mined when a reorganisation drops its block', () => {
    const inBlock = transfer().sign('0x1', before).mine(mined, true, expiry);
    expect(inBlock).toMatchObject({ status: 'pending', stage: 'mined', minedBlock: 7 });
    expect(inBlock.submit('0x1', expiry)).toMatchObject({ status: 'pending', stage: 'submitted', minedBlock: null });
  });

  it.each<TransferStatus>(['unconfirmed', 'completed', 'failed', 'expired', 'cancelled'])(
    'that is %s cannot end by the word of the chain',
    (status) => {
      expect(() => transfer({ status }).complete({ ...mined, fee: 1n }, before)).toThrow(TransferAlreadyConfirmed);
      expect(() => transfer({ status }).fail('reverted', { retrySafe: true, fee: 0n }, before)).toThrow(
        TransferAlreadyConfirmed,
      );
    },
  );

  it.each<TransferStatus>(['pending', 'completed', 'failed'])('that is %s cannot be cancelled', (status) => {
    expect(() => transfer({ status }).cancel(before)).toThrow(TransferAlreadyConfirmed);
  });

  it('that is signed again is in no block while it waits for its approval or a place, nor once it is refused or closed', () => {
    const inBlock = transfer({ status: 'pending', confirmedAt: created }).mine(mined, true, before);
    const changed = [
      inBlock.awaitApproval(newId('approval'), before),
      inBlock.refuse('rejected', 'policy_changed', before),
      inBlock.queue(before),
    ];
    // The block stays known of a transfer that an operator closes: its payment may still be in it.
    const closed = inBlock.close(before);
    expect(closed.minedBlock).toBe(7);
    for (const each of changed) expect(each).toMatchObject({ minedBlock: null, minedBlockHash: null });
    for (const each of [...changed, closed]) {
      expect(each.includedAt).toBeNull();
      expect(TransferEvent.ofChange(inBlock, each).map(({ type }) => type)).toContain('transfer.unconfirmed_again');
    }
  });

  it('has expired by the clock once it is locked', () => {
    expect(transfer().asOf(before).status).toBe('unconfirmed');
    expect(transfer().asOf(expiry)).toMatchObject({ status: 'expired', updatedAt: expiry });
    expect(transfer({ status: 'pending' }).asOf(expiry).status).toBe('pending');
  });
});

describe('a sender queue', () => {
  const queue = (fields: Partial<SenderQueue>): SenderQueue =>
    ({ nextNonce: 5, open: 0, queuedBefore: 0, reserved: { coin: 0n, asset: 0n }, ...fields }) as SenderQueue;

  it('allocates its own nonces while transfers are open, independent of the count of the chain', () => {
    expect(nonceFor(queue({ open: 1 }), { latest: 9, pending: 9 })).toBe(5);
  });

  it('follows the chain when idle, never backwards', () => {
    expect(nonceFor(queue({}), { latest: 7, pending: 8 })).toBe(8);
    expect(nonceFor(queue({}), { latest: 3, pending: 3 })).toBe(5);
    expect(nonceFor(queue({ nextNonce: null }), { latest: 0, pending: 0 })).toBe(0);
  });

  it('follows the chain by more than 64 nonces only when more than one answer supports that', () => {
    expect(nonceFor(queue({}), { latest: 69, pending: 69 })).toBe(69);
    for (const far of [
      { latest: 70, pending: 69 },
      { latest: 69, pending: 70 },
    ]) {
      expect(() => nonceFor(queue({}), far)).toThrow(NoncesDoubted);
      expect(nonceFor(queue({}), { ...far, areAgreed: true })).toBe(70);
      expect(nonceFor(queue({ open: 1 }), far)).toBe(5);
    }
    expect(() => nonceFor(queue({ nextNonce: null }), { latest: 65, pending: 65 })).toThrow(NoncesDoubted);
  });

  it('has none on a chain without nonces, and is full at its capacity', () => {
    expect(nonceFor(queue({ nextNonce: null, open: 3 }), null)).toBeNull();
    expect([
      isFull(queue({ open: SENDER_QUEUE_CAPACITY - 1 })),
      isFull(queue({ open: SENDER_QUEUE_CAPACITY })),
    ]).toEqual([false, true]);
  });

  it('keeps a place for each who has waited longer', () => {
    expect(isFull(queue({ open: SENDER_QUEUE_CAPACITY - 2, queuedBefore: 1 }))).toBe(false);
    expect(isFull(queue({ open: SENDER_QUEUE_CAPACITY - 2, queuedBefore: 2 }))).toBe(true);
  });
});

import type { FoundTransaction, SignedAttempt } from '../../../../src/kernel/chain/payment.js';
import type { TransferId } from '../../../../src/kernel/ids.js';
import {
  areExplained,
  compare,
  firstNonceOf,
  heldSince,
  isDoubted,
  isUncompared,
  mayBeCopiedSince,
  mayHaveLost,
  type OpenTransfer,
  type QueueBooks,
  runOf,
} from '../../../../src/modules/transfer/transfer/domain/books.js';
import {
  type LockedTransfer,
  hasStartedBetween,
  isUnchanged,
} from '../../../../src/modules/transfer/transfer/domain/transfer.repository.js';

const serverStartedAt = new Date('2026-01-01T12:00:00Z');
const after = (ms: number): Date => new Date(serverStartedAt.getTime() + ms);
const HOUR = 3_600_000;

describe('the books of a sender queue', () => {
  const books = (fields: Partial<QueueBooks>): QueueBooks =>
    ({
      comparedFrom: null,
      nextNonce: null,
      heldIn: null,
      serverStartedAt,
      histories: { ofDatabase: 'h1', ofQueue: null },
      ...fields,
    }) as QueueBooks;

  it.each([
    [null, null, 0],
    [null, 5, 5],
    [3, 5, 3],
    [7, 5, 5],
    [7, null, 0],
    [0, 5, 0],
  ])('in doubt from %p, with the next nonce %p, are compared from %p on', (comparedFrom, nextNonce, from) => {
    expect(firstNonceOf(books({ comparedFrom, nextNonce }))).toBe(from);
  });

  it('are held since a height only in the run of the server in which it was read', () => {
    const held = books({ comparedFrom: 90 });
    const run = runOf(held);
    expect(heldSince({ ...held, heldIn: run })).toBe(90);
    expect(heldSince({ ...held, heldIn: null })).toBeNull();
    expect(heldSince({ ...held, heldIn: run, serverStartedAt: after(1) })).toBeNull();
    expect(heldSince({ ...held, heldIn: run, histories: { ofDatabase: 'h2', ofQueue: null } })).toBeNull();
  });
});

describe('after a start of the database server', () => {
  it.each([
    [-1, true],
    [0, true],
    [1, false],
  ])('what is from %p ms after it may be copied: %p', (ms, isCopied) => {
    expect(mayBeCopiedSince(after(ms), { serverStartedAt })).toBe(isCopied);
  });

  it.each([
    [null, HOUR, true, true],
    [after(-1), HOUR, true, true],
    [serverStartedAt, HOUR, false, false],
    [serverStartedAt, HOUR - 1, false, true],
  ])('a queue compared under %p is uncompared and doubted after %p ms: %p, %p', (comparedStart, ms, ...expected) => {
    const comparison = { comparedStart, serverStartedAt, now: after(ms) };
    expect([isUncompared(comparison), isDoubted(comparison)]).toEqual(expected);
  });

  it.each([
    [true, false, -1, true],
    [true, false, 0, true],
    [true, false, 1, false],
    [true, true, 1, true],
    [false, true, -1, false],
    [false, false, -1, false],
  ])(
    'nonces of a queue that is doubted (%p), of a key that is imported (%p) or from %p ms after it, may be lost: %p',
    (doubted, isImported, ms, isLost) => {
      expect(mayHaveLost({ isDoubted: doubted, serverStartedAt }, { isImported, createdAt: after(ms) })).toBe(isLost);
    },
  );

  it('a comparison explains the nonces below its own, under the same start', () => {
    const explained = { below: 7, serverStartedAt };
    const state = { serverStartedAt };
    expect(areExplained({ latest: 7, pending: 7 }, explained, state)).toBe(true);
    expect(areExplained({ latest: 8, pending: 7 }, explained, state)).toBe(false);
    expect(areExplained({ latest: 7, pending: 8 }, explained, state)).toBe(false);
    expect(areExplained({ latest: 0, pending: 0 }, null, state)).toBe(false);
    expect(areExplained({ latest: 7, pending: 7 }, explained, { serverStartedAt: after(1) })).toBe(false);
  });

  it('nothing that was read before it is stored after it', () => {
    const locked = { transfer: { status: 'pending' }, attempts: 2, serverStartedAt } as LockedTransfer;
    const seen = { transfer: locked.transfer, serverStartedAt: after(0) };
    expect([hasStartedBetween(seen, locked), isUnchanged(locked, seen, 2)]).toEqual([false, true]);
    expect(isUnchanged(locked, seen, 1)).toBe(false);
    expect(isUnchanged({ ...locked, transfer: { status: 'failed' } } as LockedTransfer, seen, 2)).toBe(false);
    const earlier = { ...seen, serverStartedAt: after(-1) };
    expect([hasStartedBetween(earlier, locked), isUnchanged(locked, earlier, 2)]).toEqual([true, false]);
  });
});

describe('a comparison with the chain', () => {
  const [A, B] = ['tr_a', 'tr_b'] as [TransferId, TransferId];
  const createdAt = serverStartedAt;
  const open = (id: TransferId, nonce?: number | null): OpenTransfer =>
    ({
      transfer: { id, createdAt },
      attempts: nonce === undefined ? [] : [{ nonce }],
    }) as unknown as OpenTransfer;
  const found = (hash: string, fields: Partial<FoundTransaction> = {}): FoundTransaction => ({
    hash,
    nonce: 5,
    attempt: { hash } as SignedAttempt,
    makes: [],
    movesNothing: false,
    isWaiting: false,
    at: createdAt,
    summary: hash,
    ...fields,
  });
  /** The hashes of each kind, and the transfers of the adopted ones. */
  const compared = (...args: Parameters<typeof compare>) => {
    const { adopted, selfTransfers, ambiguous, unknown } = compare(...args);
    const hashes = (of: readonly FoundTransaction[]) => of.map(({ hash }) => hash);
    return {
      ...(adopted.length > 0 && { adopted: adopted.map((each) => [each.found.hash, each.id]) }),
      ...(selfTransfers.length > 0 && { selfTransfers: hashes(selfTransfers) }),
      ...(ambiguous.length > 0 && { ambiguous: hashes(ambiguous) }),
      ...(unknown.length > 0 && { unknown: hashes(unknown) }),
    };
  };

  it('adopts a transaction that makes exactly one transfer', () => {
    expect(compared([found('0x1', { makes: [A] })], [open(A), open(B)])).toEqual({ adopted: [['0x1', A]] });
    expect(compared([found('0x1', { makes: [A] })], [open(B)])).toEqual({ unknown: ['0x1'] });
    expect(compared([found('0x1')], [open(A)])).toEqual({ unknown: ['0x1'] });
    expect(compared([], [open(A)])).toEqual({});
  });

  it('leaves equal transfers, and equal transactions, to the operator', () => {
    expect(compared([found('0x1', { makes: [A, B] })], [open(A), open(B)])).toEqual({ ambiguous: ['0x1'] });
    const equal = [found('0x1', { makes: [A] }), found('0x2', { makes: [A], nonce: 6 })];
    expect(compared(equal, [open(A)])).toEqual({ ambiguous: ['0x1', '0x2'] });
  });

  it('adopts all that name one transfer on a chain without nonces', () => {
    const named = [found('0x1', { makes: [A], nonce: null }), found('0x2', { makes: [A], nonce: null })];
    expect(compared(named, [open(A)])).toEqual({
      adopted: [
        ['0x1', A],
        ['0x2', A],
      ],
    });
  });

  it('knows a transfer by the nonce that it was signed with, and by no other one', () => {
    const equal = found('0x1', { makes: [A, B], nonce: 5 });
    expect(compared([equal], [open(A, 4), open(B, 5)])).toEqual({ adopted: [['0x1', B]] });
    expect(compared([equal], [open(A, 4), open(B)])).toEqual({ adopted: [['0x1', B]] });
    expect(compared([equal], [open(A, 4)])).toEqual({ unknown: ['0x1'] });
    expect(compared([found('0x1', { makes: [A], nonce: null })], [open(A, null)])).toEqual({ adopted: [['0x1', A]] });
  });

  it('waits for the block of one that waits, unless it replaces an attempt of the transfer', () => {
    const waiting = found('0x1', { makes: [A], isWaiting: true, at: null });
    expect(compared([waiting], [open(A)])).toEqual({ ambiguous: ['0x1'] });
    expect(compared([waiting], [open(A, 5)])).toEqual({ unknown: ['0x1'] });
  });

  it('adopts transactions of the account to itself that are in a block', () => {
    const itself = found('0x1', { movesNothing: true, makes: [A] });
    expect(compared([itself], [open(A)])).toEqual({ selfTransfers: ['0x1'] });
    expect(compared([{ ...itself, isWaiting: true }], [open(A)])).toEqual({ unknown: ['0x1'] });
    expect(compared([{ ...itself, attempt: null }], [open(A)])).toEqual({ unknown: ['0x1'] });
  });

  it('adopts nothing of a form that this service does not sign', () => {
    expect(compared([found('0x1', { makes: [A], attempt: null })], [open(A)])).toEqual({ unknown: ['0x1'] });
  });

  it('of a key that may be used elsewhere does not adopt what is older than the transfer', () => {
    const at = (ms: number) => found('0x1', { makes: [A], at: new Date(createdAt.getTime() + ms) });
    const adopted = { adopted: [['0x1', A]] };
    expect(compared([at(-60_001)], [open(B), open(A)], true)).toEqual({ ambiguous: ['0x1'] });
    // The clocks may differ.
    expect(compared([at(-60_000)], [open(B), open(A)], true)).toEqual(adopted);
    expect(compared([at(-60_001)], [open(B), open(A)], false)).toEqual(adopted);
    expect(compared([at(-60_001)], [open(B), open(A)])).toEqual(adopted);
    expect(compared([found('0x1', { makes: [A], at: null })], [open(A)], true)).toEqual(adopted);
  });

  it('of a key that may be used elsewhere compares the age with that of the transfer in question', () => {
    const older = { ...open(B), transfer: { id: B, createdAt: new Date(0) } } as unknown as OpenTransfer;
    const newer = { ...open(A), transfer: { id: A, createdAt: after(HOUR) } } as unknown as OpenTransfer;
    expect(compared([found('0x1', { makes: [B] })], [newer, older], true)).toEqual({ adopted: [['0x1', B]] });
    expect(compared([found('0x1', { makes: [A] })], [newer, older], true)).toEqual({ ambiguous: ['0x1'] });
  });
});

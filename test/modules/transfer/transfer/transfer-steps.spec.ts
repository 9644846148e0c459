import { BooksBehindChain } from '../../../../src/kernel/chain/chain.errors.js';
import type { AppId, ApprovalId, TransferId } from '../../../../src/kernel/ids.js';
import {
  TransferAlreadyConfirmed,
  TransferCancelled,
  TransferExpired,
} from '../../../../src/modules/transfer/transfer/domain/transfer.errors.js';
import { awaitsConfirmation } from '../../../../src/modules/transfer/orders/domain/transfer-batch.js';
import {
  asStoredWith,
  type Attempt,
  isOverdue,
  maySignAgain,
  type NextStep,
  Transfer,
  type TransferStage,
  type TransferStatus,
} from '../../../../src/modules/transfer/transfer/domain/transfer.js';

const created = new Date('2026-01-01T12:00:00Z');
const expiry = new Date('2026-01-01T12:02:00Z');
const now = new Date('2026-01-01T12:01:00Z');
const later = new Date('2026-01-01T12:05:00Z');
const block = { number: 7, hash: '0xb', time: new Date('2026-01-01T12:00:30Z') };
const mined = { hash: '0x1', block };
const APPROVAL = 'appr_1' as ApprovalId;

function transfer(fields: Partial<Transfer> = {}): Transfer {
  return Object.assign(Object.create(Transfer.prototype) as Transfer, {
    appId: 'app_a',
    id: 'tr_1',
    status: 'unconfirmed',
    stage: null,
    network: 'eip155:1',
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
    l1Fee: 2n,
    operatorFee: 3n,
    hash: null,
    failureCode: null,
    retrySafe: null,
    createdAt: created,
    updatedAt: created,
    expiresAt: expiry,
    confirmedAt: null,
    confirmedBy: null,
    namesUser: false,
    decisionId: null,
    approvalId: null,
    minedBlock: null,
    minedBlockHash: null,
    includedAt: null,
    completedAt: null,
    cancelledAt: null,
    cancelRequestedAt: null,
    stuckSince: null,
    stuckReason: null,
    nonceUsedBy: null,
    sentAgainAt: null,
    ...fields,
  });
}
const pending = (stage: TransferStage, fields: Partial<Transfer> = {}): Transfer =>
  transfer({ status: 'pending', stage, confirmedAt: created, ...fields });
/** Everything that says that a transfer is in no block, and not stuck. */
const nowhere = { minedBlock: null, minedBlockHash: null, includedAt: null };
const inBlock = pending('mined', { hash: '0x1', minedBlock: 7, minedBlockHash: '0xb', includedAt: now });
const stuck = { stuckSince: created, stuckReason: 'not_in_a_block' } as const;

describe('the parts of a transfer', () => {
  it('name its asset, queue and payment', () => {
    const asset = { chain: 'ethereum', name: 'ethereum', symbol: 'ETH', decimals: 18, token: null };
    expect(transfer().asset()).toEqual(asset);
    expect(transfer().senderQueue()).toEqual({ appId: 'app_a', network: 'eip155:1', address: 'source' });
    expect(transfer().payment()).toEqual({ transferId: 'tr_1', asset, source: 'source', dest: 'dest', amount: 100n });
    expect(transfer().dataFees()).toEqual({ l1: 2n, operator: 3n });
    expect(transfer().cancellationCap()).toBe(100n);
  });
});

describe('a cancellation', () => {
  it.each([
    transfer(),
    transfer({ status: 'awaiting_approval', approvalId: APPROVAL }),
    pending('queued', { ...stuck, includedAt: now }),
  ])('ends a transfer of which nothing is signed', (open) => {
    const ended = { status: 'cancelled', stage: null, cancelledAt: now, updatedAt: now, includedAt: null };
    expect(open.cancel(now)).toMatchObject({ ...ended, stuckSince: null, stuckReason: null });
  });

  it.each(['signed', 'submitted', 'mined'] as const)('ends one that is %s only once that is proven dead', (stage) => {
    expect(() => pending(stage).cancel(now)).toThrow(TransferAlreadyConfirmed);
    expect(pending(stage).cancel(now, true)).toMatchObject({ status: 'cancelled', stage: null });
  });

  it('changes nothing of a cancelled one, and is refused for one that has expired or ended', () => {
    const cancelled = transfer({ status: 'cancelled', cancelledAt: created });
    expect(cancelled.cancel(now)).toBe(cancelled);
    expect(cancelled.cancelOnceRead(now)).toBe(cancelled);
    expect(() => transfer().cancel(expiry)).toThrow(TransferExpired);
    expect(() => transfer({ status: 'expired' }).cancel(now)).toThrow(TransferExpired);
    for (const status of ['completed', 'failed', 'rejected'] as const)
      expect(() => transfer({ status }).cancel(now, true)).toThrow(TransferAlreadyConfirmed);
  });

  it.each(['signed', 'submitted'] as const)('of one that is %s is requested once', (stage) => {
    const requested = pending(stage).requestCancellation(now);
    expect(requested).toMatchObject({ cancelRequestedAt: now, updatedAt: now, status: 'pending', stage });
    expect(requested.requestCancellation(later).cancelRequestedAt).toBe(now);
  });

  it.each([transfer(), pending('queued'), pending('mined'), transfer({ status: 'completed' })])(
    'is not requested of any other',
    (other) => {
      expect(() => other.requestCancellation(now)).toThrow(TransferAlreadyConfirmed);
    },
  );

  it('waits in the queue until the history is read', () => {
    const waiting = transfer().cancelOnceRead(now);
    const reason = { stuckSince: now, stuckReason: 'history_too_long', updatedAt: now };
    expect(waiting).toMatchObject({ status: 'pending', stage: 'queued', cancelRequestedAt: now, confirmedAt: now });
    expect(waiting).toMatchObject({ ...reason, ...nowhere });
    expect(waiting.cancelOnceRead(later)).toMatchObject({ cancelRequestedAt: now, confirmedAt: now });
    expect(() => pending('signed').cancelOnceRead(now)).toThrow(TransferAlreadyConfirmed);
    expect(() => transfer().cancelOnceRead(expiry)).toThrow(TransferExpired);
  });

  it('replaces one that is stuck and in no block', () => {
    const isReplaceable = (stage: TransferStage, fields: Partial<Transfer>) => pending(stage, fields).isReplaceable();
    expect(isReplaceable('signed', stuck)).toBe(true);
    expect(isReplaceable('submitted', stuck)).toBe(true);
    expect(isReplaceable('queued', stuck)).toBe(false);
    expect(isReplaceable('mined', stuck)).toBe(false);
    expect(isReplaceable('signed', {})).toBe(false);
  });
});

describe('a confirmation', () => {
  it('is kept with the first key, and with the last decision', () => {
    const first = transfer().allow({ keyId: 'k1', namesUser: false }, 'd1');
    expect(first).toMatchObject({ confirmedBy: 'k1', namesUser: false, decisionId: 'd1' });
    const second = first.allow({ keyId: 'k2', namesUser: true }, null);
    expect(second).toMatchObject({ confirmedBy: 'k1', namesUser: true, decisionId: 'd1' });
    expect(second.allow({ keyId: 'k2', namesUser: false }, 'd2')).toMatchObject({ namesUser: true, decisionId: 'd2' });
  });

  it('queues a transfer', () => {
    const queued = transfer().queue(now);
    expect(queued).toMatchObject({ status: 'pending', stage: 'queued', confirmedAt: now, updatedAt: now, ...nowhere });
    expect(queued.queue(later)).toMatchObject({ confirmedAt: now, updatedAt: later });
    expect(() => transfer({ status: 'completed' }).queue(now)).toThrow(TransferAlreadyConfirmed);
    expect(() => transfer({ status: 'cancelled' }).queue(now)).toThrow(TransferCancelled);
    // The quote of a pending one has served.
    expect(() => pending('queued').sign('0x1', later)).not.toThrow();
  });

  it('puts a transfer to approvers, and lets it pay or end with their answer', () => {
    const awaiting = pending('queued', { ...stuck, ...inBlock.currentBlock() }).awaitApproval(APPROVAL, now);
    expect(awaiting).toMatchObject({ status: 'awaiting_approval', approvalId: APPROVAL, stage: null, updatedAt: now });
    expect(awaiting).toMatchObject({ stuckSince: null, stuckReason: null, ...nowhere });
    expect(transfer().awaitApproval(APPROVAL, now).status).toBe('awaiting_approval');
    expect(() => transfer().awaitApproval(APPROVAL, expiry)).toThrow(TransferExpired);
    expect(() => awaiting.awaitApproval(APPROVAL, now)).toThrow(TransferAlreadyConfirmed);
    const approved = { status: 'pending', stage: 'queued', confirmedAt: later, updatedAt: later };
    expect(awaiting.approve(later)).toMatchObject(approved);
    expect(() => transfer().approve(later)).toThrow(TransferAlreadyConfirmed);
    const refused = { status: 'expired', failureCode: 'approval_expired', retrySafe: true, stage: null };
    expect(awaiting.refuse('expired', 'approval_expired', later)).toMatchObject({ ...refused, updatedAt: later });
  });

  it.each<[Transfer, boolean]>([
    [transfer({ status: 'awaiting_approval' }), true],
    [pending('queued'), true],
    [pending('signed'), false],
    [transfer(), false],
    [transfer({ status: 'cancelled', stage: 'queued' }), false],
  ])('of %p depends on an approval: %p', (open, depends) => {
    expect(open.dependsOnApproval()).toBe(depends);
  });
});

describe('a signature', () => {
  it.each(['books_behind_chain', 'history_too_long'] as const)('ends the wait for %s', (stuckReason) => {
    const held = pending('queued', { stuckSince: created, stuckReason, minedBlock: 3 });
    const signed = held.sign('0x1', now);
    expect(signed).toMatchObject({ stage: 'signed', hash: '0x1', stuckSince: null, stuckReason: null, ...nowhere });
    expect(held.adopt('0x1', now)).toMatchObject({ stage: 'signed', hash: '0x1', stuckReason: null });
  });

  it('leaves a transfer stuck for any other reason', () => {
    expect(pending('submitted', stuck).sign('0x2', now)).toMatchObject(stuck);
  });

  it('that the chain shows makes a transfer pending again, also after its quote has expired', () => {
    expect(transfer().adopt('0x1', later)).toMatchObject({ status: 'pending', stage: 'signed', confirmedAt: later });
  });
});

describe('what the chain shows', () => {
  it('moves a transfer from a node into a block and back', () => {
    const held = pending('signed', { hash: '0x1' }).submit('0x2', now);
    expect(held).toMatchObject({ stage: 'submitted', hash: '0x2', updatedAt: now });
    const paid = held.sign('0x1', now).mine(mined, true, now);
    expect(paid).toMatchObject({ stage: 'mined', hash: '0x1', minedBlock: 7, minedBlockHash: '0xb' });
    expect(pending('submitted', stuck).mine(mined, true, now)).toMatchObject({ stuckSince: null, stuckReason: null });
    expect(() => transfer({ status: 'failed' }).mine(mined, true, now)).toThrow(TransferAlreadyConfirmed);
  });

  it.each<[string, Parameters<Transfer['isMinedAs']>, boolean]>([
    ['the same block', [mined, true], true],
    ['no payment', [mined, false], false],
    ['another hash', [{ ...mined, hash: '0x2' }, true], false],
    ['another block', [{ ...mined, block: { ...block, number: 8 } }, true], false],
    ['a block with another hash', [{ ...mined, block: { ...block, hash: '0xc' } }, true], false],
    ['a block of which the node does not report the hash', [{ ...mined, block: { ...block, hash: null } }, true], true],
  ])('is known, or new: %s', (_, seen, isKnown) => {
    expect(inBlock.isMinedAs(...seen)).toBe(isKnown);
    expect(pending('submitted', { ...inBlock.currentBlock(), hash: '0x1' }).isMinedAs(...seen)).toBe(false);
  });

  it('is known by the number where the hash is not stored', () => {
    const unnamed = pending('mined', { hash: '0x1', minedBlock: 7, includedAt: now });
    expect(unnamed.isMinedAs(mined, true)).toBe(true);
    expect(unnamed.currentBlock()).toEqual({ number: 7, hash: null });
    expect(inBlock.currentBlock()).toEqual({ number: 7, hash: '0xb' });
    expect(pending('mined').currentBlock()).toBeNull();
    expect(pending('submitted', { minedBlock: 7 }).currentBlock()).toBeNull();
  });

  it('completes a transfer with the fees that it took', () => {
    const fees = { fee: 9n, dataFees: { l1: 4n, operator: 5n } };
    const completed = inBlock.complete({ ...mined, ...fees }, later);
    expect(completed).toMatchObject({ status: 'completed', stage: null, hash: '0x1', completedAt: later, fee: 9n });
    expect(completed).toMatchObject({ l1Fee: 4n, operatorFee: 5n, minedBlock: 7, minedBlockHash: '0xb' });
    expect(inBlock.complete({ ...mined, fee: 9n }, later)).toMatchObject({ l1Fee: 0n, operatorFee: 0n });
  });

  it('fails a transfer, with the transaction that proves it', () => {
    const failed = inBlock.fail('reverted', { retrySafe: true, fee: 4n, mined: { hash: '0x2', block } }, later);
    expect(failed).toMatchObject({ status: 'failed', failureCode: 'reverted', retrySafe: true, fee: 4n, hash: '0x2' });
    expect(failed).toMatchObject({ stage: null, includedAt: null, nonceUsedBy: null, updatedAt: later });
    const used = pending('submitted', { hash: '0x1', ...stuck });
    const usedElsewhere = used.fail('nonce_used_elsewhere', { retrySafe: false, fee: 0n, usedBy: '0x9' }, later);
    expect(usedElsewhere).toMatchObject({ retrySafe: false, nonceUsedBy: '0x9', hash: '0x1', stuckSince: null });
  });
});

describe('an operator', () => {
  it('closes a transfer that has not ended, and it is never safe to repeat', () => {
    const closed = { status: 'failed', failureCode: 'closed_by_operator', retrySafe: false, fee: 0n, stage: null };
    for (const open of [transfer(), transfer({ status: 'awaiting_approval' }), inBlock])
      expect(open.close(later)).toMatchObject({ ...closed, includedAt: null, updatedAt: later });
    for (const status of ['completed', 'failed', 'rejected', 'expired', 'cancelled'] as const)
      expect(() => transfer({ status }).close(later)).toThrow(TransferAlreadyConfirmed);
  });

  it('sees since when a transfer is stuck, and the last reason', () => {
    const first = pending('queued').markStuck('waits_in_queue', now);
    expect(first).toMatchObject({ stuckSince: now, stuckReason: 'waits_in_queue', updatedAt: now });
    const second = first.markStuck('not_in_a_block', later);
    expect(second).toMatchObject({ stuckSince: now, stuckReason: 'not_in_a_block', updatedAt: now });
  });

  it('sees when a completed one was first sent again', () => {
    const sent = transfer({ status: 'completed' }).sendAgain(now);
    expect(sent.sentAgainAt).toBe(now);
    expect(sent.sendAgain(later).sentAgainAt).toBe(now);
  });
});

describe('a transfer', () => {
  it.each<[TransferStatus, TransferStage | null, string | null, boolean, NextStep]>([
    ['unconfirmed', null, null, false, 'confirmation'],
    ['awaiting_approval', null, null, false, 'approval'],
    ['pending', 'queued', null, false, 'place_in_queue'],
    ['pending', 'signed', null, false, 'broadcast'],
    ['pending', 'submitted', '0x1', false, 'block'],
    ['pending', 'mined', '0x1', false, 'finality'],
    ['completed', null, '0x1', true, 'none'],
    ['failed', null, null, true, 'none'],
    ['rejected', null, null, true, 'none'],
    ['expired', null, null, true, 'none'],
    ['cancelled', null, null, true, 'none'],
  ])('that is %s %p is held as %p, has ended: %p, and comes to %s', (status, stage, held, hasEnded, next) => {
    const one = transfer({ status, stage, hash: '0x1' });
    expect([one.heldHash(), one.hasEnded(), one.nextStep()]).toEqual([held, hasEnded, next]);
  });

  it.each<[TransferStage, NextStep]>([
    ['queued', 'cancellation'],
    ['signed', 'cancellation'],
    ['submitted', 'cancellation'],
    ['mined', 'finality'],
  ])('that is %s and to be cancelled comes to %s', (stage, next) => {
    expect(pending(stage, { cancelRequestedAt: created }).nextStep()).toBe(next);
  });

  it('takes the time of its block, or that at which it is seen there', () => {
    expect(pending('signed').mine(mined, true, later).includedAt).toBe(block.time);
    const untimed = { ...mined, block: { number: 7, hash: '0xb', time: null } };
    expect(pending('signed').mine(untimed as never, true, later).includedAt).toBe(later);
    const other = { ...mined, block: { ...block, hash: '0xc' } };
    expect(inBlock.mine(other, true, later).includedAt).toBe(block.time);
    expect(inBlock.mine(mined, true, later).includedAt).toBe(now);
  });
});

describe('attempts', () => {
  const attempt = (fields: Partial<Attempt>): Attempt =>
    ({ hash: '0x1', nonce: null, createdAt: created, acceptedAt: null, ...fields }) as Attempt;

  it('are stored with the time at which a node was first seen to hold them', () => {
    const held = pending('submitted', { hash: '0x1', updatedAt: now });
    expect(asStoredWith(held, attempt({})).acceptedAt).toBe(now);
    expect(asStoredWith(held, attempt({ acceptedAt: created })).acceptedAt).toBe(created);
    const other = attempt({ hash: '0x2' });
    expect(asStoredWith(held, other)).toBe(other);
  });

  it('may be followed by another one only where none has a nonce', () => {
    expect(maySignAgain([])).toBe(true);
    expect(maySignAgain([attempt({}), attempt({})])).toBe(true);
    expect(maySignAgain([attempt({}), attempt({ nonce: 0 })])).toBe(false);
  });

  it('are overdue when the last one is', () => {
    const first = attempt({ createdAt: new Date(0) });
    const at = (ms: number) => new Date(created.getTime() + ms);
    expect(isOverdue([first, attempt({})], at(299_999), 300)).toBe(false);
    expect(isOverdue([first, attempt({})], at(300_000), 300)).toBe(true);
  });
});

describe('a batch', () => {
  const item = (fields: Partial<Transfer> = {}) => transfer(fields);

  it('is confirmed once, and as a whole', async () => {
    expect(await awaitsConfirmation([item(), item()], now)).toBe(true);
    expect(await awaitsConfirmation([pending('signed'), pending('queued')], now)).toBe(false);
    const cancelled = item({ status: 'cancelled', confirmedAt: created });
    expect(await awaitsConfirmation([cancelled, pending('signed')], now)).toBe(false);
  });

  it('of which the database has forgotten the confirmation is not confirmed again', async () => {
    const lost = item({ id: 'tr_2' as TransferId, appId: 'app_a' as AppId });
    await expect(awaitsConfirmation([pending('signed'), lost], now)).rejects.toThrow(BooksBehindChain);
  });

  it.each<[Transfer, new (...args: never[]) => Error]>([
    [item({ status: 'cancelled' }), TransferCancelled],
    [item({ status: 'expired' }), TransferExpired],
    [item({ status: 'failed' }), TransferAlreadyConfirmed],
  ])('with an item that has ended is refused, and the item is named', async (ended, Refusal) => {
    const refused = awaitsConfirmation([item(), ended], now);
    await expect(refused).rejects.toThrow(Refusal);
    await expect(refused).rejects.toThrow('items[1]');
  });
});

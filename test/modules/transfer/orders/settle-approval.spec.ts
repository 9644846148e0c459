import { newId } from '../../../../src/kernel/ids.js';
import { SettleApproval } from '../../../../src/modules/transfer/orders/application/settle-approval.js';
import { Transfer } from '../../../../src/modules/transfer/transfer/domain/transfer.js';

describe('a transfer that awaits an approval', () => {
  const [appId, asked, former] = [newId('app'), newId('approval'), newId('approval')];
  const now = new Date('2026-01-01T12:00:00Z');
  const stored: Transfer[] = [];
  const settle = (fields: Partial<Transfer>) => {
    const transfer = Object.assign(Object.create(Transfer.prototype) as Transfer, { id: newId('transfer'), ...fields });
    return new SettleApproval(
      { find: async () => ({ transfer }) } as never,
      { lock: async () => ({ transfer, now }), store: (each: Transfer) => stored.push(each) } as never,
      { publish: async () => undefined } as never,
      {} as never,
      {} as never,
    ).approve(appId, transfer.id, asked);
  };
  beforeEach(() => (stored.length = 0));

  it('is confirmed by the one that was requested last', async () => {
    await settle({ status: 'awaiting_approval', approvalId: asked });
    expect(stored).toMatchObject([{ status: 'pending', stage: 'queued', confirmedAt: now }]);
  });

  it.each([
    ['another one was requested since', { status: 'awaiting_approval', approvalId: former }],
    ['it has ended', { status: 'cancelled', approvalId: asked }],
  ] as const)('is not confirmed where %s', async (_, fields) => {
    await settle(fields);
    expect(stored).toEqual([]);
  });
});

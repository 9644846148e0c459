import { Chains } from '../../../../src/kernel/chain/chain.js';
import { InsufficientFunds } from '../../../../src/kernel/chain/chain.errors.js';
import { NODE_CALL_BOUNDS, NodeCalls } from '../../../../src/kernel/chain/node-calls.js';
import { TooManyRequests } from '../../../../src/kernel/errors.js';
import { newId } from '../../../../src/kernel/ids.js';
import { ConfirmTransfer } from '../../../../src/modules/transfer/orders/application/confirm-transfer.js';
import { ObserveQueue } from '../../../../src/modules/transfer/tracking/application/track-transfer.js';
import { Transfer } from '../../../../src/modules/transfer/transfer/domain/transfer.js';

it('a confirmation that lacks coverage observes its sender queue within the bound of its app', async () => {
  const appId = newId('app');
  const [now, expiresAt] = [new Date('2026-01-01T12:00:00Z'), new Date('2026-01-01T12:02:00Z')];
  const quoted = { appId, id: newId('transfer'), status: 'unconfirmed', chain: 'ethereum', batchId: null, expiresAt };
  const transfer = Object.assign(Object.create(Transfer.prototype) as Transfer, quoted);
  const nodeCalls = new NodeCalls(['ethereum']);
  let free!: () => void;
  const freed = new Promise<void>((resolve) => (free = resolve));
  let observed = 0;
  const confirmTransfer = new ConfirmTransfer(
    { find: async () => ({ transfer, now }) } as never,
    new Chains([{ name: 'ethereum' } as never]),
    nodeCalls,
    { requireNetwork: async () => undefined } as never,
    {} as never,
    { open: async () => undefined } as never,
    { settle: async () => ({ transfer, now }) } as never,
    // Each shortage is found while the app still has a slot.
    { execute: () => Promise.reject(new InsufficientFunds()) } as never,
    new ObserveQueue({ executeQueue: async () => void observed++ } as never, nodeCalls),
    {} as never,
    {} as never,
  );
  const reads = NODE_CALL_BOUNDS.perApp + NODE_CALL_BOUNDS.waitingPerApp;
  const occupied = Array.from({ length: reads }, () => nodeCalls.run('ethereum', appId, () => freed));
  await expect(confirmTransfer.execute({ id: appId, keyId: 'key' }, transfer.id)).rejects.toThrow(TooManyRequests);
  expect(observed).toBe(0);
  free();
  await Promise.all(occupied);
  await expect(confirmTransfer.execute({ id: appId, keyId: 'key' }, transfer.id)).rejects.toThrow(InsufficientFunds);
  expect(observed).toBe(1);
});

import { newId } from '../../../../src/kernel/ids.js';
import { SenderQueueLimiter, SignPayment } from '../../../../src/modules/transfer/paying/application/sign-payment.js';
import { Transfer } from '../../../../src/modules/transfer/transfer/domain/transfer.js';
import { InMemoryTransactions } from '../../../support/in-memory/in-memory-transactions.js';

describe('a signature', () => {
  const fields = {
    appId: newId('app'),
    id: newId('transfer'),
    status: 'unconfirmed',
    network: 'eip155:1',
    token: null,
  };
  const transfer = Object.assign(Object.create(Transfer.prototype) as Transfer, fields);
  const chain = {
    native: {},
    network: async () => transfer.network,
    nonces: async () => ({ latest: 0, pending: 0 }),
    isMade: async () => false,
    prepareTogether: () => async () => ({ balancesAt: 1 }),
  };
  const allowed = jest.fn();
  const payments = new SignPayment(
    {
      lockForSigning: async () => ({ locked: { transfers: [{ transfer }] }, wallet: { assertMaySign: allowed } }),
    } as never,
    { searchProgress: () => ({}) } as never,
    new SenderQueueLimiter(new InMemoryTransactions()),
    {} as never,
    { openBatch: async () => [{}] } as never,
    {} as never,
    {} as never,
  );

  it('is not made where the payment does not await it under the lock, also if that must be waited for', async () => {
    const confirmation = { keyId: 'key', namesUser: false };
    const order = { transfers: [transfer], chain: chain as never, earlier: [], confirmation, isBatch: true };
    expect(await payments.execute({ ...order, maySign: async () => false })).toBeNull();
    expect(await payments.execute({ ...order, maySign: () => false })).toBeNull();
    expect(allowed).not.toHaveBeenCalled();
  });
});

import { ChainUnavailable } from '../../../../src/kernel/chain/chain.errors.js';
import { inTurn } from '../../../../src/kernel/collections.js';
import { ExpireTransfers } from '../../../../src/modules/transfer/tracking/application/expire-transfers.js';

const queue = (chain: string, address: string) => ({ appId: 'app_1', chain, network: chain, address });
const QUEUES = [queue('ethereum', 'a'), queue('ethereum', 'b'), queue('solana', 'c')];

/** Expires two transfers of each queue, of which these fail, and returns the names of those that it has tried. */
async function tried(failing: Readonly<Record<string, Error>>): Promise<{ names: string[]; error: unknown }> {
  const names: string[] = [];
  const fail = (name: string): void => {
    if (failing[name]) throw failing[name];
  };
  const tracking = {
    claimOverdue: async () => [],
    queuesInDoubt: async () => QUEUES,
    overdueInDoubt: async ({ address }: { address: string }) =>
      [1, 2].map((number) => ({ transfer: { id: `${address}${number}` } })),
  };
  const states = {
    lock: async ({ id }: { id: string }) => {
      names.push(id);
      fail(id);
      const transfer = { id, asOf: () => transfer };
      return { transfer };
    },
  };
  const areUnpaid = async ([{ id }]: [{ id: string }]) => {
    fail(id[0]!);
    return true;
  };
  const transactions = { run: <T>(work: () => Promise<T>) => work() };
  const parts = [tracking, states, transactions, {}, { areUnpaid }] as unknown as ConstructorParameters<
    typeof ExpireTransfers
  >;
  const error: unknown = await new ExpireTransfers(...parts).execute().catch((failure: unknown) => failure);
  return { names: names.toSorted(), error };
}

const ALL = ['a1', 'a2', 'b1', 'b2', 'c1', 'c2'];
const FAULT = new Error('It cannot be stored.');

describe('the expiry of quotes in doubt', () => {
  it.each(ALL)('goes on after an unexpected error of %s, which the job reports', async (name) => {
    expect(await tried({ [name]: FAULT })).toEqual({ names: ALL, error: FAULT });
  });

  it('goes on in other queues if one cannot be compared', async () => {
    expect(await tried({ a: FAULT })).toEqual({ names: ['b1', 'b2', 'c1', 'c2'], error: FAULT });
  });

  it('asks nothing further of a network that is not available, and goes on on others', async () => {
    expect(await tried({ a: new ChainUnavailable('ethereum') })).toEqual({ names: ['c1', 'c2'], error: undefined });
  });
});

it('work in turn reports all failures together', async () => {
  const failing = inTurn([1, 2, 3], (number) => Promise.reject(new Error(String(number))));
  await expect(failing).rejects.toMatchObject({ message: '3 items failed: Error: 1', errors: { length: 3 } });
});

import type { Asset } from '../../../../src/kernel/chain/asset.js';
import type { IncomingPayment } from '../../../../src/kernel/chain/deposit.js';
import { newId } from '../../../../src/kernel/ids.js';
import { depositOf } from '../../../../src/modules/transfer/deposits/domain/deposit.js';

const native = { chain: 'ethereum', name: 'ethereum', token: null } as Asset;
const usdc = { ...native, name: 'usdc', token: '0xT' } as Asset;
const since = new Date('2026-01-01T12:00:05.500Z');
const wallet = { appId: newId('app'), id: newId('wallet'), userId: newId('user'), since };
const paid = (at: string | null, token: string | null = null) =>
  ({
    hash: '0x1',
    position: -1,
    token,
    from: '0xA',
    to: '0xB',
    amount: 5n,
    block: 7,
    at: at && new Date(at),
  }) as IncomingPayment;
const deposited = (payment: IncomingPayment, receiver = wallet, tokens: Asset[] = [usdc]) =>
  depositOf(payment, receiver, { native, network: 'eip155:1', tokens })?.asset.name ?? null;

describe('a payment to the address of a wallet', () => {
  it.each([
    ['2026-01-01T12:00:04Z', null],
    ['2026-01-01T12:00:05Z', 'ethereum'],
    [null, 'ethereum'],
  ])('in a block of %p counts as a deposit of %p, because blocks name whole seconds', (at, asset) => {
    expect(deposited(paid(at))).toBe(asset);
  });

  it('counts from any time for a wallet whose key was made here', () => {
    expect(deposited(paid('2020-01-01T00:00:00Z'), { ...wallet, since: null as never })).toBe('ethereum');
  });

  it('counts in tokens of the app on the network only', () => {
    expect(deposited(paid(null, '0xT'))).toBe('usdc');
    expect(deposited(paid(null, '0xT'), wallet, [])).toBeNull();
    expect(deposited(paid(null, '0xT'), wallet, [{ ...usdc, chain: 'base' } as Asset])).toBeNull();
  });
});

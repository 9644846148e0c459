import type { WalletType } from '../../../src/kernel/chain/chain-name.js';
import { type AppId, newId, type UserId } from '../../../src/kernel/ids.js';
import type { Transactions } from '../../../src/kernel/transactions.js';
import type { Sealed } from '../../../src/kernel/vault.js';
import type { WalletFilter, WalletRepository } from '../../../src/modules/wallet/domain/wallets/wallet.repository.js';
import { Wallet } from '../../../src/modules/wallet/domain/wallets/wallet.js';

interface Subject {
  readonly wallets: WalletRepository;
  readonly transactions: Transactions;
}

const now = new Date('2026-01-01T12:00:00Z');
const placeOf = (appId: AppId, userId: UserId, publicAddress: string, walletType: WalletType = 'ethereum') => ({
  appId,
  walletId: newId('wallet'),
  userId,
  walletType,
  publicAddress,
});

export const managedWallet = (...place: Parameters<typeof placeOf>): Wallet =>
  Wallet.managed({ ...placeOf(...place), sealed: Buffer.from('sealed') as Sealed }, now);
export const externalWallet = (...place: Parameters<typeof placeOf>): Wallet => Wallet.external(placeOf(...place), now);

/** What every `WalletRepository` promises. The subject is made once; each test uses an app of its own. */
export function walletRepositoryTests(subject: () => Subject): void {
  let appId: AppId;
  let ann: UserId;
  let wallets: WalletRepository;
  beforeEach(() => {
    ({ wallets } = subject());
    [appId, ann] = [newId('app'), newId('user')];
  });
  const ids = async (query: Partial<Parameters<WalletRepository['list']>[1]> = {}, filter?: WalletFilter) => {
    const page = await wallets.list(appId, { limit: 10, ...query }, filter);
    return { ids: page.items.map(({ id }) => id), hasMore: page.hasMore };
  };

  it('finds a wallet with its sealed key, in its own app only', async () => {
    const wallet = await wallets.addDefault(appId, managedWallet(appId, ann, '0xA'));
    expect(await wallets.find(appId, wallet.id)).toMatchObject({ id: wallet.id, userId: ann, isDefault: true });
    expect((await wallets.find(appId, wallet.id))!.signingKey().sealed.toString()).toBe('sealed');
    expect(await wallets.find(newId('app'), wallet.id)).toBeNull();
    expect(await wallets.find(appId, newId('wallet'))).toBeNull();
  });

  it('keeps one default wallet per user and type', async () => {
    const first = await wallets.addDefault(appId, managedWallet(appId, ann, '0xA'));
    const second = await wallets.addDefault(appId, managedWallet(appId, ann, '0xB'));
    const solana = await wallets.addDefault(appId, managedWallet(appId, ann, 'S', 'solana'));
    expect(second.id).toBe(first.id);
    expect((await wallets.findDefault(appId, ann, 'ethereum'))!.id).toBe(first.id);
    expect((await wallets.findDefault(appId, ann, 'solana'))!.id).toBe(solana.id);
    expect(await wallets.findDefault(appId, newId('user'), 'ethereum')).toBeNull();
    expect((await ids()).ids).toEqual([solana.id, first.id]);
  });

  it('gives simultaneous callers the same default wallet', async () => {
    const added = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        subject().transactions.run(() => wallets.addDefault(appId, managedWallet(appId, ann, `0x${i}`))),
      ),
    );
    expect(new Set(added.map(({ id }) => id)).size).toBe(1);
  });

  it('keeps one signing and one read-only wallet per address, until it is deleted', async () => {
    const external = externalWallet(appId, ann, '0xA');
    expect(await wallets.add(appId, external)).toBe(true);
    expect(await wallets.add(appId, externalWallet(appId, newId('user'), '0xA'))).toBe(false);
    const key = { ...placeOf(appId, ann, '0xA'), sealed: Buffer.from('sealed') as Sealed };
    expect(await wallets.add(appId, Wallet.imported(key, now))).toBe(true);
    expect(await wallets.tombstone(appId, external.id)).toBe(true);
    expect(await wallets.tombstone(appId, external.id)).toBe(false);
    expect(await wallets.find(appId, external.id)).toBeNull();
    expect(await wallets.add(appId, externalWallet(appId, ann, '0xA'))).toBe(true);
  });

  it('finds the login wallet of an address, and no managed one', async () => {
    await wallets.addDefault(appId, managedWallet(appId, ann, '0xA'));
    expect(await wallets.findLogin(appId, '0xA')).toBeNull();
    const external = externalWallet(appId, ann, '0xA');
    await wallets.add(appId, external);
    expect(await wallets.findLogin(appId, '0xA')).toMatchObject({ id: external.id, userId: ann });
    expect(await wallets.findLogin(newId('app'), '0xA')).toBeNull();
  });

  it('lists newest first, in pages and by user, without deleted wallets', async () => {
    const own: Wallet[] = [];
    for (const address of ['0xA', '0xB', '0xC', '0xD']) {
      own.push(externalWallet(appId, ann, address));
      await wallets.add(appId, own.at(-1)!);
    }
    const [a, b, c, d] = own.map(({ id }) => id);
    await wallets.tombstone(appId, b!);
    const bob = externalWallet(appId, newId('user'), '0xE');
    await wallets.add(appId, bob);
    expect(await ids()).toEqual({ ids: [bob.id, d, c, a], hasMore: false });
    expect(await ids({ limit: 2 })).toEqual({ ids: [bob.id, d], hasMore: true });
    expect(await ids({ limit: 2, startingAfter: d })).toEqual({ ids: [c, a], hasMore: false });
    expect(await ids({ limit: 3 }, { userId: ann })).toEqual({ ids: [d, c, a], hasMore: false });
    expect(await ids({ limit: 3 }, { userId: ann, ids: [a!, bob.id] })).toEqual({ ids: [a], hasMore: false });
  });

  it('deletes only the wallets of the user', async () => {
    const bob = externalWallet(appId, newId('user'), '0xB');
    await wallets.add(appId, bob);
    await wallets.add(appId, externalWallet(appId, ann, '0xA'));
    await subject().transactions.run(() => wallets.tombstoneAllOf(appId, ann));
    expect((await ids()).ids).toEqual([bob.id]);
  });
}

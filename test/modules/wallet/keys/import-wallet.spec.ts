import { newId } from '../../../../src/kernel/ids.js';
import { ImportWallet } from '../../../../src/modules/wallet/keys/application/import-wallet.js';
import { InvalidWalletImport, KeyInUse } from '../../../../src/modules/wallet/keys/domain/wallet-import.js';
import { DuplicateWallet } from '../../../../src/modules/wallet/wallets/domain/wallet.errors.js';
import { InMemoryTransactions } from '../../../support/in-memory/in-memory-transactions.js';

describe('an imported key', () => {
  const [appId, id, userId] = [newId('app'), newId('walletImport'), newId('user')];
  const published = jest.fn(async () => undefined);
  const imported = ({ isOpen = true, isOfAnotherApp = false, isNew = true }) =>
    new ImportWallet(
      { find: async () => ({ appId, id, userId, walletType: 'ethereum' }), consume: async () => isOpen } as never,
      { isKeyOfAnotherApp: async () => isOfAnotherApp, add: async () => isNew } as never,
      { open: async () => Buffer.alloc(32, 1) } as never,
      { adopt: (wallet: object) => ({ ...wallet, publicAddress: '0xA', sealed: Buffer.alloc(1) }) } as never,
      { use: async () => undefined } as never,
      { ready: async () => undefined, open: () => Buffer.alloc(32) } as never,
      { publish: published } as never,
      new InMemoryTransactions(),
      { now: () => new Date() } as never,
    ).execute(appId, id, {} as never);

  it('is a wallet of its user', async () => {
    expect(await imported({})).toMatchObject({ appId, userId, isImported: true, isDefault: false });
    expect(published).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['the import was used meanwhile', { isOpen: false }, InvalidWalletImport],
    ['another app has the key', { isOfAnotherApp: true }, KeyInUse],
    ['the app has the key', { isNew: false }, DuplicateWallet],
  ])('is refused where %s', async (_, given, Refusal) => {
    published.mockClear();
    await expect(imported(given)).rejects.toThrow(Refusal);
    expect(published).not.toHaveBeenCalled();
  });
});

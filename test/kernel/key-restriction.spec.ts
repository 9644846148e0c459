import { newId } from '../../src/kernel/ids.js';
import { isWithin } from '../../src/kernel/key-restriction.js';

describe('an object of a key that is bound', () => {
  const [ann, bob] = [newId('user'), newId('user')];
  const [wallet, other] = [newId('wallet'), newId('wallet')];

  it.each([
    [{ userId: ann, walletIds: null }, { userId: ann, walletId: wallet }, true],
    [{ userId: ann, walletIds: null }, { userId: bob, walletId: wallet }, false],
    [{ userId: null, walletIds: [wallet] }, { userId: bob, walletId: wallet }, true],
    [{ userId: null, walletIds: [wallet] }, { userId: ann, walletId: other }, false],
    [{ userId: ann, walletIds: [wallet] }, { userId: ann, walletId: wallet }, true],
    [{ userId: ann, walletIds: [wallet] }, { userId: bob, walletId: wallet }, false],
    [{ userId: ann, walletIds: [wallet] }, { userId: ann, walletId: other }, false],
    [{ userId: ann, walletIds: [wallet] }, { userId: ann, walletId: null }, true],
    [{ userId: ann, walletIds: null }, { userId: bob, walletId: null }, false],
    [{ userId: null, walletIds: [wallet] }, { userId: ann, walletId: null }, false],
  ])('to %j is seen where its owner is %j: %p', (binding, owner, isSeen) => {
    expect(isWithin(binding, owner)).toBe(isSeen);
  });
});

import { newId } from '../../../../src/kernel/ids.js';
import { SignInWithWallet } from '../../../../src/modules/wallet/login/application/sign-in-with-wallet.js';
import { VerifyWallet } from '../../../../src/modules/wallet/login/application/verify-wallet.js';
import {
  InvalidSiweChallenge,
  InvalidWalletSignature,
} from '../../../../src/modules/wallet/login/domain/registration.js';
import { DuplicateWallet } from '../../../../src/modules/wallet/wallets/domain/wallet.errors.js';
import { InMemoryTransactions } from '../../../support/in-memory/in-memory-transactions.js';

const appId = newId('app');
const address = `0x${'11'.repeat(20)}`;

describe('a sign-in text', () => {
  const verify = new VerifyWallet(
    { resolve: () => Promise.reject(new Error('resolved')) } as never,
    {} as never,
    {} as never,
    { address: (_: string, text: string) => (text === address ? text : null) } as never,
    {} as never,
    {} as never,
    { signInChainIds: [1] },
  );
  const said = (origin: string, allowed: string, claimed = {}) =>
    verify.signInText(
      { id: appId, allowedOrigins: [allowed] },
      claimed,
      {
        text: `${origin} wants you to sign in with your Ethereum account:\n${address}\n\n\nURI: https://a.example\nVersion: 1\nChain ID: 1\nNonce: abcdefgh\nIssued At: 2026-01-01T12:00:00Z`,
        signature: '0x',
      },
      {},
    );

  it.each([
    ['app.example', 'https://app.example'],
    ['https://app.example', 'https://app.example'],
    ['http://localhost:3000', 'http://localhost:3000'],
  ])('for %s is meant for an app with the origin %s', async (origin, allowed) => {
    await expect(said(origin, allowed)).rejects.toThrow('resolved');
  });

  it.each([
    ['http://app.example', 'https://app.example'],
    ['https://app.example', 'http://app.example'],
    ['app.example:8443', 'https://app.example'],
    ['app.example.evil.example', 'https://app.example'],
  ])('for %s is not', async (origin, allowed) => {
    await expect(said(origin, allowed)).rejects.toThrow(InvalidSiweChallenge);
  });

  it('of another wallet than the request names is refused', async () => {
    const other = { publicAddress: `0x${'22'.repeat(20)}` };
    await expect(said('app.example', 'https://app.example', other)).rejects.toThrow(InvalidSiweChallenge);
    await expect(said('app.example', 'https://app.example', { publicAddress: address })).rejects.toThrow('resolved');
  });
});

describe('a signed registration', () => {
  const [ann, bob] = [newId('user'), newId('user')];
  const registration = { appId, id: newId('walletRegistration'), publicAddress: address, userId: ann, attaches: true };
  const wallet = { appId, id: newId('wallet'), userId: ann, walletType: 'ethereum', publicAddress: address };
  const signedIn = (isOpen: boolean, owner = ann, contractNetwork: string | null = null, first: string | null = null) =>
    new SignInWithWallet(
      { spend: async () => isOpen } as never,
      {
        lockAddress: async () => undefined,
        findLogin: async () => ({ ...wallet, userId: owner, contractNetwork: first }),
      } as never,
      {} as never,
      {} as never,
      {} as never,
      { carriedBy: () => null, addFactor: async () => null } as never,
      {} as never,
      new InMemoryTransactions(),
      {} as never,
    ).execute(registration as never, {} as never, contractNetwork);

  it('signs in once', async () => {
    expect((await signedIn(true)).wallet.userId).toBe(ann);
    await expect(signedIn(false)).rejects.toThrow(InvalidWalletSignature);
  });

  it('attaches no wallet of another user', async () => {
    await expect(signedIn(true, bob)).rejects.toThrow(DuplicateWallet);
  });

  it('by a contract holds on the network whose contract signed first', async () => {
    await signedIn(true, ann, 'eip155:1', 'eip155:1');
    await expect(signedIn(true, ann, 'eip155:10', 'eip155:1')).rejects.toThrow(InvalidWalletSignature);
  });
});

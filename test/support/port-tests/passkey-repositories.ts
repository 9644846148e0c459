import { type AppId, newId, type UserId } from '../../../src/kernel/ids.js';
import type { TokenHash } from '../../../src/kernel/secret-tokens.js';
import type { Transactions } from '../../../src/kernel/transactions.js';
import type { Challenge, ChallengeRepository } from '../../../src/modules/passkey/domain/authenticators.js';
import type { NewPasskey, PasskeyRepository } from '../../../src/modules/passkey/domain/passkey.js';

export interface PasskeySubject {
  readonly challenges: ChallengeRepository;
  readonly passkeys: PasskeyRepository;
  readonly transactions: Transactions;
  /** Moves the end of all challenges of the app into the past. */
  expireAll(appId: AppId): Promise<void>;
}

/** What every `ChallengeRepository` and every `PasskeyRepository` promises. */
export function passkeyRepositoriesTests(subject: () => PasskeySubject): void {
  let appId: AppId;
  let userId: UserId;
  beforeEach(() => {
    [appId, userId] = [newId('app'), newId('user')];
  });
  const run = <T>(work: () => Promise<T>): Promise<T> => subject().transactions.run(work);

  describe('challenges', () => {
    const add = async (changes: Partial<Challenge> = {}): Promise<Challenge> => {
      const hash = Buffer.from(newId('event')) as Buffer & TokenHash;
      const challenge: Challenge = { hash, purpose: 'authentication', userId, ...changes };
      await subject().challenges.add(appId, challenge);
      return challenge;
    };
    const spend = ({ hash, purpose }: Challenge, by = userId, app = appId) =>
      run(() => subject().challenges.spend(app, hash, purpose, by));

    it('gives a challenge to one of eight simultaneous callers', async () => {
      const challenge = await add();
      const spent = await Promise.all(Array.from({ length: 8 }, () => spend(challenge)));
      expect(spent.filter((each) => each !== null)).toEqual([challenge]);
    });

    it('keeps a challenge that another user, purpose or app asks for', async () => {
      const challenge = await add();
      expect(await spend(challenge, newId('user'))).toBeNull();
      expect(await spend({ ...challenge, purpose: 'registration' })).toBeNull();
      expect(await spend(challenge, userId, newId('app'))).toBeNull();
      expect(await spend(challenge)).toEqual(challenge);
    });

    it('gives a challenge without a user to any user of the app', async () => {
      const challenge = await add({ userId: null });
      expect(await spend(challenge, newId('user'))).toEqual(challenge);
    });

    it('keeps a challenge that was spent in a transaction that rolls back', async () => {
      const challenge = await add();
      const refused = new Error('refused');
      const attempt = run(async () => {
        await spend(challenge);
        throw refused;
      });
      await expect(attempt).rejects.toBe(refused);
      expect(await spend(challenge)).toEqual(challenge);
    });

    it('gives no challenge that has expired, or whose user was removed', async () => {
      const [expired, removed, another] = [await add(), await add(), await add({ userId: newId('user') })];
      await run(async () => subject().challenges.removeAllOf(appId, userId));
      expect(await spend(removed)).toBeNull();
      expect(await spend(another, another.userId!)).toEqual(another);
      const last = await add();
      await subject().expireAll(appId);
      expect(await spend(expired)).toBeNull();
      expect(await spend(last)).toBeNull();
    });
  });

  describe('passkeys', () => {
    const passkey = (changes: Partial<NewPasskey> = {}): NewPasskey => ({
      appId,
      id: newId('passkey'),
      userId,
      credentialId: Buffer.from(newId('event')),
      publicKey: Buffer.from('key'),
      rpId: 'example.com',
      name: 'Laptop',
      transports: ['internal'],
      isBackupEligible: true,
      isBackedUp: false,
      signCount: 0,
      ...changes,
    });
    const add = async (changes: Partial<NewPasskey> = {}): Promise<NewPasskey> => {
      const added = passkey(changes);
      expect(await run(() => subject().passkeys.add(added))).toBe(true);
      return added;
    };
    const use = (one: NewPasskey, signCount: number) =>
      run(() => subject().passkeys.use(one, { signCount, isBackedUp: true }));

    it('adds a credential once in an app, however many callers add it at once', async () => {
      const { credentialId } = passkey();
      const added = await Promise.all(
        Array.from({ length: 8 }, () => run(() => subject().passkeys.add(passkey({ credentialId })))),
      );
      expect(added.filter(Boolean)).toHaveLength(1);
      expect(await subject().passkeys.count(appId, userId)).toBe(1);
      await add({ credentialId, appId: newId('app') });
    });

    it('finds a passkey by its credential in its own app', async () => {
      const { signCount: _signCount, ...added } = await add();
      expect(await subject().passkeys.find(appId, added.credentialId)).toEqual(added);
      expect(await subject().passkeys.find(newId('app'), added.credentialId)).toBeNull();
      expect(await subject().passkeys.ownerOf(appId, added.id)).toBe(userId);
      expect(await subject().passkeys.ownerOf(newId('app'), added.id)).toBeNull();
    });

    it('describes the passkeys of a user and a domain, oldest first', async () => {
      const [first, second] = [await add(), await add()];
      await add({ rpId: 'example.org' });
      await add({ userId: newId('user') });
      const described = await subject().passkeys.descriptors(appId, userId, 'example.com');
      expect(described).toEqual(
        [first, second].map(({ credentialId, transports }) => ({
          credentialId: credentialId.toString('base64url'),
          transports,
        })),
      );
    });

    it('suspects a counter that does not rise, and keeps the highest one', async () => {
      const one = await add({ signCount: 5 });
      expect(await use(one, 6)).toEqual({ isSuspicious: false });
      expect(await use(one, 6)).toEqual({ isSuspicious: true });
      expect(await use(one, 0)).toEqual({ isSuspicious: true });
      expect(await use(one, 7)).toEqual({ isSuspicious: false });
    });

    it('suspects no authenticator that never counts', async () => {
      const one = await add();
      expect(await use(one, 0)).toEqual({ isSuspicious: false });
      expect(await subject().passkeys.find(appId, one.credentialId)).toMatchObject({ isBackedUp: true });
    });

    it('removes a passkey once, and all of a user', async () => {
      const [one] = [await add(), await add()];
      expect(await run(() => subject().passkeys.remove(newId('app'), one!.id))).toBe(false);
      expect(await run(() => subject().passkeys.remove(appId, one!.id))).toBe(true);
      expect(await run(() => subject().passkeys.remove(appId, one!.id))).toBe(false);
      expect(await use(one!, 1)).toBeNull();
      await run(async () => subject().passkeys.removeAllOf(appId, userId));
      expect(await subject().passkeys.count(appId, userId)).toBe(0);
    });
  });
}

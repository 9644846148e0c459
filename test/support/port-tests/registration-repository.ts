import { type AppId, newId, type UserId } from '../../../src/kernel/ids.js';
import type { Transactions } from '../../../src/kernel/transactions.js';
import {
  newRegistration,
  type Registration,
  type RegistrationRepository,
} from '../../../src/modules/wallet/domain/login/registration.js';

export interface RegistrationSubject {
  readonly registrations: RegistrationRepository;
  readonly transactions: Transactions;
  /** An app with a user who exists. */
  place(): Promise<{ appId: AppId; userId: UserId }>;
  /** Moves the end of all registrations of the app into the past. */
  expireAll(appId: AppId): Promise<void>;
}

/** What every `RegistrationRepository` promises. */
export function registrationRepositoryTests(subject: () => RegistrationSubject): void {
  let appId: AppId;
  let userId: UserId;
  let registrations: RegistrationRepository;
  beforeEach(async () => {
    ({ registrations } = subject());
    ({ appId, userId } = await subject().place());
  });
  const begun = async (changes: Partial<Registration> = {}): Promise<Registration> => {
    const request = { appId, form: 'challenge', walletType: 'ethereum', publicAddress: '0xA', userId } as const;
    const registration = newRegistration({ ...request, attaches: false, ...changes }, new Date());
    await subject().transactions.run(() => registrations.add(registration));
    return registration;
  };
  const open = async (...args: Parameters<RegistrationRepository['findOpen']>): Promise<string[]> =>
    (await registrations.findOpen(...args)).map(({ id }) => id);

  it('keeps a registration for ten minutes', async () => {
    const registration = newRegistration(
      { appId, form: 'nonce', walletType: 'ethereum', publicAddress: '0xA', userId, attaches: true },
      new Date(),
    );
    const { createdAt, expiresAt } = await subject().transactions.run(() => registrations.add(registration));
    expect(expiresAt.getTime() - createdAt.getTime()).toBe(600_000);
    const [found] = await registrations.findOpen(appId, 'nonce', { id: registration.id }, 1);
    expect(found).toEqual({ ...registration, createdAt, asOf: expect.any(Date) });
  });

  it('finds the open registrations of an address, newest first, of one form and one app', async () => {
    const first = await begun();
    const second = await begun();
    await begun({ form: 'nonce' });
    await begun({ publicAddress: '0xB' });
    expect(await open(appId, 'challenge', { publicAddress: '0xA' }, 10)).toEqual([second.id, first.id]);
    expect(await open(appId, 'challenge', { publicAddress: '0xA' }, 1)).toEqual([second.id]);
    expect(await open(newId('app'), 'challenge', { publicAddress: '0xA' }, 10)).toEqual([]);
  });

  it('finds a registration only when every clue agrees', async () => {
    const { id, nonce } = await begun({ form: 'nonce' });
    expect(await open(appId, 'nonce', { id, nonce }, 1)).toEqual([id]);
    expect(await open(appId, 'nonce', { publicAddress: '0xA', nonce }, 1)).toEqual([id]);
    expect(await open(appId, 'nonce', { id, nonce: 'another0' }, 1)).toEqual([]);
    expect(await open(appId, 'nonce', { id, publicAddress: '0xB' }, 1)).toEqual([]);
    expect(await open(appId, 'challenge', { id }, 1)).toEqual([]);
  });

  it('lets one of eight simultaneous callers spend a registration', async () => {
    const { id } = await begun();
    const spent = await Promise.all(
      Array.from({ length: 8 }, () => subject().transactions.run(() => registrations.spend(appId, id))),
    );
    expect(spent.filter(Boolean)).toHaveLength(1);
    expect(await open(appId, 'challenge', { id }, 1)).toEqual([]);
  });

  it('leaves a registration unspent when the transaction rolls back', async () => {
    const { id } = await begun();
    const refused = new Error('refused');
    const attempt = subject().transactions.run(async () => {
      await registrations.spend(appId, id);
      throw refused;
    });
    await expect(attempt).rejects.toBe(refused);
    expect(await open(appId, 'challenge', { id }, 1)).toEqual([id]);
  });

  it('neither finds nor spends an expired registration, nor one of another app', async () => {
    const { id } = await begun();
    expect(await registrations.spend(newId('app'), id)).toBe(false);
    await subject().expireAll(appId);
    expect(await open(appId, 'challenge', { id }, 1)).toEqual([]);
    expect(await registrations.spend(appId, id)).toBe(false);
  });

  it('keeps a user for an address until the newest login registration is spent', async () => {
    expect(await registrations.keptUser(appId, '0xA')).toBeNull();
    await begun({ attaches: true });
    expect(await registrations.keptUser(appId, '0xA')).toBeNull();
    const { id } = await begun();
    expect(await registrations.keptUser(appId, '0xA')).toBe(userId);
    await registrations.spend(appId, id);
    expect(await registrations.keptUser(appId, '0xA')).toBeNull();
  });

  it('keeps no user who does not exist', async () => {
    await begun({ userId: newId('user') });
    expect(await registrations.keptUser(appId, '0xA')).toBeNull();
  });

  it('revokes what would attach a wallet to the user and nothing else', async () => {
    const login = await begun();
    await begun({ attaches: true });
    await subject().transactions.run(async () => registrations.revokeAllOf(appId, userId));
    expect(await open(appId, 'challenge', { publicAddress: '0xA' }, 10)).toEqual([login.id]);
  });
}

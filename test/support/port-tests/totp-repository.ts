import { TooManyRequests } from '../../../src/kernel/errors.js';
import { type AppId, newId, type UserId } from '../../../src/kernel/ids.js';
import type { Transactions } from '../../../src/kernel/transactions.js';
import type { Sealed } from '../../../src/kernel/vault.js';
import { type TotpRepository, type SealedTotp, type Totp, TRIES } from '../../../src/modules/totp/domain/totp.js';

export interface TotpSubject {
  readonly totps: TotpRepository;
  readonly transactions: Transactions;
  /** An app with an active user. */
  place(): Promise<{ appId: AppId; userId: UserId }>;
  /** Moves all tries and ends of enrolments of the app into the past. */
  wait(appId: AppId, minutes: number): Promise<void>;
}

/** What every `TotpRepository` promises. */
export function totpRepositoryTests(subject: () => TotpSubject): void {
  let appId: AppId;
  let userId: UserId;
  let totps: TotpRepository;
  beforeEach(async () => {
    ({ totps } = subject());
    ({ appId, userId } = await subject().place());
  });
  const run = <T>(work: () => Promise<T>): Promise<T> => subject().transactions.run(work);
  const newTotp = (): SealedTotp => ({
    appId,
    id: newId('totp'),
    userId,
    sealedSecret: Buffer.from('secret') as Sealed,
    sealedRecoveryCodes: Buffer.from('codes') as Sealed,
  });
  const enrolled = async (): Promise<Totp> => {
    expect(await run(() => totps.enrol(newTotp(), 30))).toBe(true);
    return (await totps.ofUser(appId, userId)).totp!;
  };
  const spend = (totp: Totp, step: number) => run(() => totps.spendStep(totp, step));
  const useCode = (totp: Totp, position: number) => run(() => totps.spendRecoveryCode(totp, position));
  const tryMany = async (count: number): Promise<void> => {
    for (let tries = 0; tries < count; tries++) await totps.tryOf(appId, userId);
  };

  it('returns a pending enrolment with its user, and none of an unknown user or another app', async () => {
    expect(await totps.ofUser(appId, userId)).toEqual({ owner: 'active', totp: null });
    const totp = await enrolled();
    const { owner, totp: found } = await totps.tryOf(appId, userId);
    expect(owner).toBe('active');
    expect(found).toMatchObject({ ...totp, isActive: false, usedRecoveryCodes: [], asOf: expect.any(Date) });
    expect(await totps.ownerOf(appId, totp.id)).toBe(userId);
    expect(await totps.ownerOf(newId('app'), totp.id)).toBeNull();
    expect(await totps.ofUser(appId, newId('user'))).toEqual({ owner: 'unknown', totp: null });
  });

  it('replaces a pending enrolment, and no active one', async () => {
    const first = await enrolled();
    const second = await enrolled();
    expect(second.id).not.toBe(first.id);
    expect(await spend(first, 10)).toBeNull();
    await spend(second, 10);
    expect(await run(() => totps.enrol(newTotp(), 30))).toBe(false);
    expect((await totps.ofUser(appId, userId)).totp).toMatchObject({ id: second.id, isActive: true });
  });

  it('lets one of eight simultaneous callers spend a step, and that one activates the enrolment', async () => {
    const totp = await enrolled();
    const spent = await Promise.all(Array.from({ length: 8 }, () => spend(totp, 10)));
    expect(spent.filter((each) => each !== null)).toEqual([{ isActivation: true }]);
  });

  it('spends the earlier steps with a step, and activates once', async () => {
    const totp = await enrolled();
    await spend(totp, 10);
    expect(await spend(totp, 9)).toBeNull();
    expect(await spend(totp, 11)).toEqual({ isActivation: false });
  });

  it('leaves the step unspent and the enrolment pending when the transaction rolls back', async () => {
    const totp = await enrolled();
    const refused = new Error('refused');
    const attempt = run(async () => {
      await totps.spendStep(totp, 10);
      throw refused;
    });
    await expect(attempt).rejects.toBe(refused);
    expect((await totps.ofUser(appId, userId)).totp?.isActive).toBe(false);
    expect(await spend(totp, 10)).toEqual({ isActivation: true });
  });

  it('spends each recovery code of an active authenticator once', async () => {
    const totp = await enrolled();
    expect(await useCode(totp, 3)).toBe(false);
    await spend(totp, 10);
    const spent = await Promise.all(Array.from({ length: 8 }, () => useCode(totp, 3)));
    expect(spent.filter(Boolean)).toHaveLength(1);
    expect(await useCode(totp, 4)).toBe(true);
    expect((await totps.ofUser(appId, userId)).totp?.usedRecoveryCodes).toEqual([3, 4]);
  });

  it('refuses a try after too many consecutive ones, until none was counted for a while', async () => {
    await enrolled();
    await tryMany(TRIES.max);
    await expect(totps.tryOf(appId, userId)).rejects.toThrow(TooManyRequests);
    await expect(totps.tryOf(appId, userId)).rejects.toThrow(TooManyRequests);
    await subject().wait(appId, 2);
    await tryMany(TRIES.max);
    await expect(totps.tryOf(appId, userId)).rejects.toThrow(TooManyRequests);
  });

  it('counts tries from zero once they are forgotten', async () => {
    await enrolled();
    await tryMany(TRIES.max);
    await expect(tryMany(1)).rejects.toThrow(TooManyRequests);
    await run(async () => totps.forgetTries(appId, userId));
    await tryMany(TRIES.max);
    await expect(tryMany(1)).rejects.toThrow(TooManyRequests);
  });

  it('counts tries from zero after a spent step and after a spent recovery code', async () => {
    const totp = await enrolled();
    await tryMany(TRIES.max);
    await spend(totp, 10);
    await tryMany(TRIES.max);
    await useCode(totp, 0);
    await tryMany(TRIES.max);
    await expect(totps.tryOf(appId, userId)).rejects.toThrow(TooManyRequests);
  });

  it('has no enrolment that was not verified in time', async () => {
    const totp = await enrolled();
    await subject().wait(appId, 31);
    expect((await totps.ofUser(appId, userId)).totp).toBeNull();
    expect((await totps.tryOf(appId, userId)).totp).toBeNull();
    expect(await totps.ownerOf(appId, totp.id)).toBeNull();
    expect(await spend(totp, 10)).toBeNull();
  });

  it('removes an authenticator once, and all of a user', async () => {
    const { id } = await enrolled();
    expect(await run(() => totps.remove(newId('app'), id))).toBe(false);
    expect(await run(() => totps.remove(appId, id))).toBe(true);
    expect(await run(() => totps.remove(appId, id))).toBe(false);
    await enrolled();
    await run(async () => totps.removeAllOf(appId, newId('user')));
    expect((await totps.ofUser(appId, userId)).totp).not.toBeNull();
    await run(async () => totps.removeAllOf(appId, userId));
    expect((await totps.ofUser(appId, userId)).totp).toBeNull();
  });
}

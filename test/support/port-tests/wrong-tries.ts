import { TooManyRequests } from '../../../src/kernel/errors.js';
import { type AppId, newId, type UserId } from '../../../src/kernel/ids.js';
import type { Try, WrongTries } from '../../../src/kernel/limits.js';
import type { Transactions } from '../../../src/kernel/transactions.js';

export interface WrongTriesSubject {
  readonly tries: WrongTries;
  readonly transactions: Transactions;
  /** The limits of every app, unless it changes them. */
  readonly limits: { readonly wrongTriesPerHour: number; readonly lockMinutes: number };
  /** An app with a user who exists. */
  place(): Promise<{ appId: AppId; userId: UserId }>;
  /** Moves all tries and locks of the app into the past. */
  wait(appId: AppId, minutes: number): Promise<void>;
}

/** What every `WrongTries` promises. */
export function wrongTriesTests(subject: () => WrongTriesSubject): void {
  let appId: AppId;
  let userId: UserId;
  let quota: number;
  beforeEach(async () => {
    ({ appId, userId } = await subject().place());
    quota = subject().limits.wrongTriesPerHour;
  });
  const begin = (): Promise<Try> => subject().tries.begin(appId, userId);
  const beginMany = async (count: number): Promise<Try[]> => {
    const begun: Try[] = [];
    while (begun.length < count) begun.push(await begin());
    return begun;
  };

  it('locks the codes of a user after the last allowed try, and of no other user', async () => {
    await beginMany(quota);
    const refusal: unknown = await begin().catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(TooManyRequests);
    const { retryAfterSeconds, policy } = refusal as TooManyRequests;
    expect(Math.ceil(retryAfterSeconds / 60)).toBe(subject().limits.lockMinutes);
    expect(policy).toEqual({ name: 'wrong-tries', quota, windowSeconds: 3600 });
    await subject().tries.begin(appId, newId('user'));
  });

  it('lets as many of many simultaneous tries begin as the limit allows', async () => {
    const begun = await Promise.allSettled(Array.from({ length: quota + 5 }, begin));
    expect(begun.filter(({ status }) => status === 'fulfilled')).toHaveLength(quota);
  });

  it('counts from zero once the lock has ended', async () => {
    await beginMany(quota);
    await subject().wait(appId, subject().limits.lockMinutes + 1);
    await beginMany(quota);
    await expect(begin()).rejects.toThrow(TooManyRequests);
  });

  it('counts from zero once the tries are forgotten', async () => {
    await beginMany(quota);
    await subject().transactions.run(async () => subject().tries.forget(appId, userId));
    await beginMany(quota);
    await expect(begin()).rejects.toThrow(TooManyRequests);
  });

  it('counts no try for longer than an hour', async () => {
    await beginMany(quota - 1);
    await subject().wait(appId, 61);
    await beginMany(quota);
    await expect(begin()).rejects.toThrow(TooManyRequests);
  });

  it('gives back a try, and ends the lock that it caused', async () => {
    const [first] = await beginMany(quota);
    await subject().transactions.run(async () => subject().tries.giveBack(first!));
    await begin();
    await expect(begin()).rejects.toThrow(TooManyRequests);
  });

  it('counts a try whose return rolls back', async () => {
    const [first] = await beginMany(quota);
    const refused = new Error('refused');
    const work = subject().transactions.run(async () => {
      subject().tries.giveBack(first!);
      throw refused;
    });
    await expect(work).rejects.toBe(refused);
    await expect(begin()).rejects.toThrow(TooManyRequests);
  });

  it('counts a try also when the transaction in which it began rolls back', async () => {
    const refused = new Error('refused');
    for (let tries = 0; tries < quota; tries++) {
      const work = subject().transactions.run(async () => {
        await begin();
        throw refused;
      });
      await expect(work).rejects.toBe(refused);
    }
    await expect(begin()).rejects.toThrow(TooManyRequests);
  });
}

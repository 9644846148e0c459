import { type AppId, newId, type UserId } from '../../../src/kernel/ids.js';
import type { TokenHash } from '../../../src/kernel/secret-tokens.js';
import type { Transactions } from '../../../src/kernel/transactions.js';
import type {
  Follower,
  MagicLinkRepository,
  Redemption,
  MagicLink,
} from '../../../src/modules/magic-link/domain/magic-link.js';

export interface MagicLinkSubject {
  readonly links: MagicLinkRepository;
  readonly transactions: Transactions;
  /** An app with a user who exists. */
  place(): Promise<{ appId: AppId; userId: UserId }>;
  /** Moves the end of all links of the app into the past. */
  expireAll(appId: AppId): Promise<void>;
}

const MISMATCHES = 3;

/** What every `MagicLinkRepository` promises. */
export function magicLinkRepositoryTests(subject: () => MagicLinkSubject): void {
  let appId: AppId;
  let userId: UserId;
  beforeEach(async () => ({ appId, userId } = await subject().place()));
  const add = async (changes: Partial<MagicLink> = {}): Promise<MagicLink> => {
    const tokenHash = Buffer.from(newId('event')) as Buffer & TokenHash;
    const mailedTo = { emailId: newId('email'), email: 'ann@example.com' };
    const link: MagicLink = { appId, tokenHash, userId, mailedTo, device: {}, minutes: 5, ...changes };
    await subject().transactions.run(async () => subject().links.add(link));
    return link;
  };
  const redeem = (link: MagicLink, { device = {}, sessionUserId = null }: Partial<Follower> = {}, app = appId) =>
    subject().transactions.run(() =>
      subject().links.redeem(app, link.tokenHash, { device, sessionUserId }, MISMATCHES),
    );
  const outcome = async (...args: Parameters<typeof redeem>): Promise<Redemption['outcome']> =>
    (await redeem(...args)).outcome;

  const fault = (reason: string) => ({ reason, endedSecondsAgo: expect.any(Number) });

  it('lets one of eight simultaneous followers spend a link, whose address no user has proved', async () => {
    const link = await add();
    const redeemed = await Promise.all(Array.from({ length: 8 }, () => redeem(link)));
    const mailedTo = { ...link.mailedTo, isProved: false };
    expect(redeemed.filter((each) => each.outcome === 'spent')).toEqual([{ outcome: 'spent', userId, mailedTo }]);
    expect(redeemed.filter((each) => each.outcome === 'ended')).toHaveLength(7);
  });

  it('names no address of an embedded link, and keeps every one of them', async () => {
    const [first, second] = [await add({ mailedTo: null }), await add({ mailedTo: null })];
    expect(await redeem(first)).toEqual({ outcome: 'spent', userId, mailedTo: null });
    expect(await redeem(second)).toEqual({ outcome: 'spent', userId, mailedTo: null });
  });

  it('replaces the link to the address, and starts its mismatches at zero', async () => {
    const before = await add({ device: { ip: '192.0.2.1' } });
    for (let count = 1; count < MISMATCHES; count++) await redeem(before);
    const now = await add({ device: { ip: '192.0.2.1' }, mailedTo: before.mailedTo });
    expect(await redeem(before)).toEqual({ outcome: 'ended', userId, fault: fault('replaced') });
    expect(await outcome(now)).toBe('other_device');
    expect(await outcome(now, { device: { ip: '192.0.2.1' } })).toBe('spent');
  });

  it('compares each field of the device that the link names, and no other', async () => {
    const device = { ip: '192.0.2.1', userAgent: '' };
    const link = await add({ device });
    expect(await redeem(link, { device: { ip: '192.0.2.2' } })).toEqual({ outcome: 'other_device', userId });
    expect(await outcome(link, { device: { ip: '192.0.2.1', userAgent: 'any' } })).toBe('spent');
  });

  it('voids a link after too many followers on another device', async () => {
    const link = await add({ device: { userAgent: 'phone' } });
    const tried = await Promise.all(Array.from({ length: MISMATCHES + 1 }, () => outcome(link)));
    expect(tried.filter((each) => each === 'other_device')).toHaveLength(MISMATCHES);
    expect(await outcome(link, { device: { userAgent: 'phone' } })).toBe('ended');
  });

  it('remembers the links to an address that newer ones replaced', async () => {
    const first = await add();
    const { mailedTo } = first;
    const [second, third] = [await add({ mailedTo }), await add({ mailedTo })];
    await redeem(third);
    await add({ mailedTo });
    for (const [link, reason] of [
      [first, 'replaced'],
      [second, 'replaced'],
      [third, 'spent'],
    ] as const)
      expect(await redeem(link)).toEqual({ outcome: 'ended', userId, fault: fault(reason) });
  });

  it('neither spends a link nor counts a mismatch for the session of another user', async () => {
    const link = await add({ device: { userAgent: 'phone' } });
    const sessionUserId = newId('user');
    for (let count = 0; count <= MISMATCHES; count++)
      expect(await redeem(link, { sessionUserId })).toEqual({ outcome: 'other_user', userId });
    expect(await outcome(link, { sessionUserId: userId, device: { userAgent: 'phone' } })).toBe('spent');
  });

  it('leaves the link unspent when the transaction rolls back', async () => {
    const link = await add();
    const refused = new Error('refused');
    const attempt = subject().transactions.run(async () => {
      await redeem(link);
      throw refused;
    });
    await expect(attempt).rejects.toBe(refused);
    expect(await outcome(link)).toBe('spent');
  });

  it('distinguishes an expired link from one that is unknown, of another app or spent', async () => {
    const [spent, link] = [await add(), await add()];
    await redeem(spent);
    expect(await outcome(link, {}, newId('app'))).toBe('unknown');
    await subject().expireAll(appId);
    expect(await redeem(link)).toEqual({ outcome: 'expired', userId, fault: fault('expired') });
    expect(await redeem(spent)).toEqual({ outcome: 'ended', userId, fault: fault('spent') });
    expect(await redeem(spent, {}, newId('app'))).toEqual({ outcome: 'unknown' });
  });

  it('voids all links of a user and of no other user', async () => {
    const [own, another] = [await add(), await add({ userId: newId('user') })];
    await subject().transactions.run(() => subject().links.revokeAllOf(appId, userId, []));
    expect(await outcome(own)).toBe('ended');
    expect(await outcome(another)).toBe('spent');
  });
}

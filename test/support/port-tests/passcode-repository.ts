import { type AppId, newId, type UserId } from '../../../src/kernel/ids.js';
import type { Transactions } from '../../../src/kernel/transactions.js';
import type { TokenHash } from '../../../src/kernel/secret-tokens.js';
import type { Sealed } from '../../../src/kernel/vault.js';
import type { PasscodeRepository, TriedPasscode, Passcode } from '../../../src/modules/otp/domain/passcode.js';

export interface PasscodeSubject {
  readonly passcodes: PasscodeRepository;
  readonly transactions: Transactions;
  /** An app with a user who exists. */
  place(): Promise<{ appId: AppId; userId: UserId }>;
  /** Moves the end of all passcodes of the app into the past. */
  expireAll(appId: AppId): Promise<void>;
}

/** What every `PasscodeRepository` promises. */
export function passcodeRepositoryTests(subject: () => PasscodeSubject): void {
  let appId: AppId;
  let userId: UserId;
  beforeEach(async () => ({ appId, userId } = await subject().place()));
  const passcode = (changes: Partial<Passcode> = {}): Passcode => ({
    appId,
    methodId: newId('email'),
    userId,
    address: 'ann@example.com',
    sealedCode: Buffer.from('sealed') as Sealed,
    codeHash: Buffer.from(newId('event')) as Buffer & TokenHash,
    ...changes,
  });
  const add = async (sent = passcode()): Promise<Passcode> => {
    await subject().transactions.run(async () => subject().passcodes.add(sent, 1));
    return sent;
  };
  const isLive = async (sent: Passcode): Promise<boolean> => (await tried(sent))?.isLive ?? false;
  const endings = async (sent: Passcode) => (await tried(sent))!.codes.map(({ hash, ending }) => ({ hash, ending }));
  const tried = ({ methodId }: Passcode, session: UserId | null = null, app = appId): Promise<TriedPasscode | null> =>
    subject().passcodes.beginTry(app, methodId, session);
  const spend = (one: TriedPasscode): Promise<boolean> =>
    subject().transactions.run(() => subject().passcodes.spend(one));

  it('gives each of eight simultaneous tries the whole passcode and a number of its own', async () => {
    const sent = await add();
    const tries = await Promise.all(Array.from({ length: 8 }, () => tried(sent)));
    expect(new Set(tries.map((each) => each?.tries))).toEqual(new Set([1, 2, 3, 4, 5, 6, 7, 8]));
    const { codeHash, ...shown } = sent;
    expect(tries[0]).toEqual({
      ...shown,
      generation: expect.any(Number),
      isProved: expect.any(Boolean),
      isLive: true,
      tries: expect.any(Number),
      codes: [{ hash: codeHash, endsAt: expect.any(Date), ending: 'expired' }],
      asOf: expect.any(Date),
    });
  });

  it('counts no try of a session of another user', async () => {
    const sent = await add();
    expect(await tried(sent, newId('user'))).toMatchObject({ userId, tries: 0 });
    expect(await tried(sent, userId)).toMatchObject({ userId, tries: 1 });
  });

  it('lets one of eight simultaneous callers spend a passcode', async () => {
    const sent = await add();
    const one = (await tried(sent))!;
    const spent = await Promise.all(Array.from({ length: 8 }, () => spend(one)));
    expect(spent.filter(Boolean)).toHaveLength(1);
    expect(await tried(sent)).toMatchObject({ isLive: false, sealedCode: null });
    expect(await endings(sent)).toEqual([{ hash: sent.codeHash, ending: 'spent' }]);
  });

  it('leaves a passcode unspent and its try counted when the transaction rolls back', async () => {
    const sent = await add();
    const one = (await tried(sent))!;
    const refused = new Error('refused');
    const attempt = subject().transactions.run(async () => {
      await subject().passcodes.spend(one);
      throw refused;
    });
    await expect(attempt).rejects.toBe(refused);
    expect(await tried(sent)).toMatchObject({ tries: 2 });
  });

  it('replaces the passcode of the address, which then cannot be spent, and starts its tries at zero', async () => {
    const sent = await add();
    const before = (await tried(sent))!;
    await add({ ...sent, address: 'Ann@example.com' });
    expect(await spend(before)).toBe(false);
    const now = (await tried(sent))!;
    expect(now).toMatchObject({ address: 'Ann@example.com', tries: 1 });
    expect(await spend(now)).toBe(true);
  });

  it('gives no passcode that is of another app or was never sent, and says that one has expired', async () => {
    const sent = await add();
    expect(await tried(sent, null, newId('app'))).toBeNull();
    expect(await tried(passcode())).toBeNull();
    await subject().expireAll(appId);
    expect(await isLive(sent)).toBe(false);
    expect(await endings(sent)).toEqual([{ hash: sent.codeHash, ending: 'expired' }]);
  });

  it('remembers how the last three codes of an address ended', async () => {
    const first = await add();
    const again = (codeHash: string) => add({ ...first, codeHash: Buffer.from(codeHash) as Buffer & TokenHash });
    const second = await again('second');
    await spend((await tried(first))!);
    const third = await again('third');
    const [now, before, oldest] = [{ hash: third.codeHash, ending: 'expired' }, second.codeHash, first.codeHash];
    expect(await endings(first)).toEqual([
      now,
      { hash: before, ending: 'spent' },
      { hash: oldest, ending: 'replaced' },
    ]);
    await subject().expireAll(appId);
    const fourth = await again('fourth');
    expect(await endings(first)).toEqual([
      { hash: fourth.codeHash, ending: 'expired' },
      now,
      { hash: before, ending: 'spent' },
    ]);
  });

  it('does not spend a passcode of a user who does not exist', async () => {
    const sent = await add(passcode({ userId: newId('user') }));
    expect(await spend((await tried(sent))!)).toBe(false);
  });

  it('voids all passcodes of a user and of no other user', async () => {
    const [email, phone] = [await add(), await add(passcode({ methodId: newId('phoneNumber') }))];
    const another = await add(passcode({ userId: newId('user') }));
    await subject().transactions.run(() => subject().passcodes.revokeAllOf(appId, userId, []));
    expect([await isLive(email), await isLive(phone), await isLive(another)]).toEqual([false, false, true]);
  });
}

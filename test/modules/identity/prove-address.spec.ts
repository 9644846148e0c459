import { newId } from '../../../src/kernel/ids.js';
import { ProveAddress } from '../../../src/modules/identity/application/prove-address.js';
import { type Claim, User } from '../../../src/modules/identity/domain/user.js';

describe('an account whose address another person proves', () => {
  const now = new Date('2026-01-01T12:00:00Z');
  const stored: User[] = [];
  const claimed = async (claim: Claim, { verified = 0, isDeactivated = false } = {}) => {
    const holder = User.create(newId('app'), { status: 'pending', walletType: 'none', claim }, now);
    const proof = new ProveAddress(
      {} as never,
      {} as never,
      { credentialCounts: async () => ({ verified }), store: (_: string, user: User) => stored.push(user) } as never,
      { settleUnverified: async () => [] } as never,
      {} as never,
      {} as never,
      {} as never,
      { publish: async () => undefined, signal: async () => undefined } as never,
      { now: () => now } as never,
    );
    const given = await proof.claim(isDeactivated ? holder.deactivate(now) : holder, {}, newId('email'));
    return given.isGiven;
  };
  beforeEach(() => (stored.length = 0));

  it('passes to that person while it is open and nothing of it is proved', async () => {
    expect(await claimed('open')).toBe(true);
    expect(stored).toMatchObject([{ claim: 'taken', status: 'active' }]);
  });

  it.each<[string, Claim, Parameters<typeof claimed>[1]]>([
    ['it has signed or paid', 'closed', {}],
    ['it is being opened again', 'reopening', {}],
    ['it has passed before', 'taken', {}],
    ['another credential is proved', 'open', { verified: 1 }],
    ['it is deactivated', 'open', { isDeactivated: true }],
  ])('stays where %s', async (_, claim, given) => {
    expect(await claimed(claim, given)).toBe(false);
    expect(stored).toEqual([]);
  });
});

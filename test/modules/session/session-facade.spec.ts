import { newId } from '../../../src/kernel/ids.js';
import { InvalidSession, SessionFacade } from '../../../src/modules/session/index.js';

describe('the session that a call names', () => {
  const [appId, ann, bob] = [newId('app'), newId('user'), newId('user')];
  const sessions: Readonly<Record<string, { id: string; userId: string }>> = {
    of_ann: { id: newId('session'), userId: ann },
    of_bob: { id: newId('session'), userId: bob },
  };
  const facade = new SessionFacade(
    { find: async (_: string, name: string) => sessions[name] ?? null } as never,
    { read: async (_: string, secret: { token?: string; jwt?: string }) => secret.token ?? secret.jwt } as never,
    { of: async () => ({}) } as never,
    {} as never,
    {} as never,
    {} as never,
    {} as never,
    {} as never,
    {} as never,
  );

  it('is one, by its token, its JWT or both', async () => {
    for (const secrets of [{ token: 'of_ann' }, { jwt: 'of_ann' }, { token: 'of_ann', jwt: 'of_ann' }])
      expect(await facade.resolve(appId, secrets)).toMatchObject({ kind: 'join', userId: ann });
    await expect(facade.resolve(appId, { token: 'of_ann', jwt: 'of_bob' })).rejects.toThrow(InvalidSession);
    await expect(facade.resolve(appId, { token: 'ended' })).rejects.toThrow(InvalidSession);
  });

  it('is one of the user whom a bound key sees', async () => {
    const bound = (userId: string | null) => ({ token: 'of_ann', binding: { userId, walletIds: null } as never });
    expect(await facade.resolve(appId, bound(ann))).toMatchObject({ userId: ann });
    await expect(facade.resolve(appId, bound(bob))).rejects.toThrow(InvalidSession);
    await expect(facade.resolve(appId, bound(null))).rejects.toThrow(InvalidSession);
  });
});

import { newId } from '../../../src/kernel/ids.js';
import { StepUp } from '../../../src/modules/identity/application/step-up.js';
import { InvalidSession } from '../../../src/kernel/errors.js';

describe('step-up', () => {
  const [appId, ann, bob] = [newId('app'), newId('user'), newId('user')];
  const stepUp = new StepUp(
    { settings: async () => ({ stepUp: { calls: 'keys', removalNeedsSession: true } }) } as never,
    { recordFirstProof: async () => undefined, credentialCounts: async () => ({ verified: 1 }) } as never,
    {} as never,
  );
  const session = (isFresh: boolean, userId = ann) => ({ userId, isFresh: async () => isFresh });

  it('lets a fresh session of the user remove a method, and no other one', async () => {
    const permits = (remover: Parameters<StepUp['permitsRemoval']>[2]) =>
      stepUp.permitsRemoval(appId, ann, remover, true);
    expect(await permits(session(true))).toBe(true);
    expect(await permits(session(false))).toBe(false);
    expect(await permits('operator')).toBe(true);
    await expect(permits(session(true, bob))).rejects.toThrow(InvalidSession);
  });

  it('lets no session of another user add a method', async () => {
    expect(await stepUp.begin(appId, ann, session(true))).toEqual({ isFirst: false });
    await expect(stepUp.begin(appId, ann, session(true, bob))).rejects.toThrow(InvalidSession);
  });
});

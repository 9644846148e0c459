import { actAs } from '../../../../src/kernel/acting-key.js';
import { newId } from '../../../../src/kernel/ids.js';
import { tokenActor } from '../../../../src/kernel/token-actor.js';
import { VoteOnApproval } from '../../../../src/modules/policy/approvals/application/vote.js';
import { NotAnApprover } from '../../../../src/modules/policy/approvals/domain/approval.errors.js';

describe('a vote that a key carries', () => {
  const [appId, id, userId, key, client] = [
    newId('app'),
    newId('approval'),
    newId('user'),
    newId('key'),
    newId('oauthClient'),
  ];
  const voted = (asked: string, by: string) => {
    const approval = { appId, id, keyId: asked, state: 'waiting', end: null, members: [userId], votes: [] };
    const vote = new VoteOnApproval(
      {} as never,
      {} as never,
      { get: async () => approval } as never,
      { check: () => Promise.reject(new Error('checked')) } as never,
      {} as never,
      {} as never,
    );
    const ballot = { userId, decision: 'approve', credential: {} } as const;
    return actAs(by, () => vote.execute({} as never, appId, id, ballot));
  };

  it('on its own request is refused, and so is one of a client on that of a token of it', async () => {
    await expect(voted(key, key)).rejects.toThrow(NotAnApprover);
    await expect(voted(tokenActor(client, newId('grant')), tokenActor(client))).rejects.toThrow(NotAnApprover);
  });

  it('on the request of another one is checked', async () => {
    await expect(voted(key, newId('key'))).rejects.toThrow('checked');
    await expect(voted(tokenActor(client), key)).rejects.toThrow('checked');
  });
});

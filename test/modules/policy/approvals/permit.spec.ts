import { newId } from '../../../../src/kernel/ids.js';
import { PolicyChanges } from '../../../../src/modules/policy/approvals/application/policy-changes.js';
import { payloadOfChange, thawOf } from '../../../../src/modules/policy/approvals/domain/policy-change.js';
import { hashOf } from '../../../../src/modules/policy/rules/domain/payload.js';
import { ApprovalRequired } from '../../../../src/modules/policy/rules/domain/policy.errors.js';

describe('a change of policies that carries an approval', () => {
  const [appId, approvalId, ann, bob] = [newId('app'), newId('approval'), newId('user'), newId('user')];
  const change = thawOf({ name: 'Acme', frozenAt: new Date('2026-01-01T12:00:00Z') });
  const carried = {
    appId,
    id: approvalId,
    state: 'approved',
    end: null,
    payloadHash: hashOf(payloadOfChange(appId, change)),
    supporters: [ann, bob],
    needed: 2,
  };
  const stored: string[] = [];
  const permitted = (given: object, holders: readonly string[]) => {
    const lockOf = async () => [{ ...carried, ...given }];
    return new PolicyChanges(
      {} as never,
      { lockOf, store: (_: string, __: string, state: string) => stored.push(state) } as never,
      {} as never,
      { haveOne: async () => new Set(holders) } as never,
      {} as never,
      {} as never,
    ).permit({ by: {}, appId, approvalId } as never, { group: newId('approverGroup'), count: 2 }, change);
  };
  beforeEach(() => (stored.length = 0));

  it('is made once enough voters have given it, and uses it up', async () => {
    expect(await permitted({}, [ann, bob])).toBeNull();
    expect(stored).toEqual(['executed']);
  });

  it('waits as long as it is not given', async () => {
    expect(await permitted({ state: 'waiting' }, [ann, bob])).toBeInstanceOf(ApprovalRequired);
    expect(stored).toEqual([]);
  });

  it('waits for votes again where a voter has no passkey any more', async () => {
    expect(await permitted({}, [ann])).toBeInstanceOf(ApprovalRequired);
    expect(stored).toEqual(['waiting']);
  });
});

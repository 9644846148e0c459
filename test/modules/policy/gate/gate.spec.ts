import { newId } from '../../../../src/kernel/ids.js';
import { Gate, type Pass } from '../../../../src/modules/policy/gate/application/gate.js';
import { fit } from '../../../../src/modules/policy/rules/domain/evaluate.js';
import { WalletFrozen } from '../../../../src/modules/policy/rules/domain/policy.errors.js';
import { NOTHING_USED, RunningUsage } from '../../../../src/modules/policy/rules/domain/verdict.js';
import { factsOf, policyOf, ruleOf } from '../builders.js';

const appId = newId('app');
const [ann, bob] = [newId('user'), newId('user')];
const wallet = { id: newId('wallet'), userId: ann };

/** A gate of which only these parts are called. */
function gateOf(parts: { states?: object; approvals?: object; holders?: readonly string[] }): Gate {
  return new Gate(
    {} as never,
    (parts.states ?? {}) as never,
    {} as never,
    { add: () => undefined } as never,
    {} as never,
    (parts.approvals ?? {}) as never,
    {} as never,
    { haveOne: async () => new Set(parts.holders) } as never,
    { publish: async () => undefined } as never,
  );
}

describe('a freeze', () => {
  it.each([
    ['the wallet', wallet.id, true],
    ['its user', wallet.userId, true],
    ['another user', bob, false],
  ])('of %s holds for the wallet', async (_, id, isFrozen) => {
    const state = { isFrozen: false, frozenIds: new Set([id]) };
    const frozen = await gateOf({ states: { of: async () => state } }).freezeOf(appId, wallet);
    expect(frozen instanceof WalletFrozen).toBe(isFrozen);
  });
});

describe('an approval of a transfer', () => {
  const policy = policyOf([ruleOf('require_approval', 'r1')]);
  const request = { appId, wallet, keyId: 'key', transferId: newId('transfer'), use: { operation: 'transfer' } };
  const pass = {
    request,
    operationId: request.transferId,
    fitted: fit([policy], factsOf({ operation: 'transfer' })),
    budgets: [],
    feeRefusal: null,
    subject: { payload: {}, hash: 'hash' },
  } as unknown as Pass;
  const approval = {
    id: newId('approval'),
    state: 'approved',
    end: null,
    payloadHash: 'hash',
    keyId: 'key',
    policyId: policy.id,
    ruleId: 'r1',
    supporters: [ann, bob],
    needed: 2,
  };
  const decided = async (given: object, holders: readonly string[] = [ann, bob]): Promise<string> => {
    const approvals = { request: async () => newId('approval') };
    const considered = {
      windows: new RunningUsage(NOTHING_USED),
      counted: null,
      approvals: [{ ...approval, ...given }],
    };
    return (await gateOf({ approvals, holders }).decide(pass, considered as never)).is;
  };

  it('lets it be signed', async () => {
    expect(await decided({})).toBe('use');
  });

  it.each([
    ['a voter has no passkey any more', {}, [ann]],
    ['a voter counts no more', { supporters: [ann] }, undefined],
    ['it is of another payload', { payloadHash: 'other' }, undefined],
    ['another key has asked', { keyId: 'other' }, undefined],
    ['it is of another rule', { ruleId: 'r2' }, undefined],
    ['it still waits', { state: 'waiting' }, undefined],
  ])('does not where %s', async (_, given, holders) => {
    expect(await decided(given, holders)).toBe('await');
  });
});

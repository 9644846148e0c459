import { ChainNotConfigured } from '../../src/kernel/chain/chain.errors.js';
import { NodeCalls } from '../../src/kernel/chain/node-calls.js';
import { newId } from '../../src/kernel/ids.js';

describe('the calls to nodes', () => {
  it.each(['run', 'runForLogin'] as const)('by %s refuse a network that is not configured', async (run) => {
    const calls = new NodeCalls(['ethereum']);
    const reads = jest.fn(() => Promise.resolve(1));
    await expect(calls[run]('base', newId('app'), reads)).rejects.toThrow(ChainNotConfigured);
    expect(reads).not.toHaveBeenCalled();
    expect(await calls[run]('ethereum', newId('app'), reads)).toBe(1);
  });
});

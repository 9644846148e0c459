import { isId, newId, newIdBlock } from '../../src/kernel/ids.js';

describe('an id', () => {
  it('sorts by the order of minting, also within a millisecond', () => {
    const ids = Array.from({ length: 20_000 }, () => newId('event'));
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('sorts even when the clock steps back', () => {
    const before = newId('user');
    jest.spyOn(Date, 'now').mockReturnValueOnce(Date.now() - 60_000);
    expect(newId('user') > before).toBe(true);
  });

  it('that an SQL statement completes is valid, and sorts between the ids minted before and after it', () => {
    const ids = Array.from({ length: 1_000 }, () => {
      const [before, block, after] = [newId('event'), newIdBlock('event'), newId('event')];
      return [before, `${block}000001`, `${block}ffffff`, after];
    }).flat();
    expect(ids.toSorted()).toEqual(ids);
    expect(ids.filter((id) => !isId('event', id))).toEqual([]);
  });

  it('is recognised by its kind and form', () => {
    const id = newId('wallet');
    expect(isId('wallet', id)).toBe(true);
    expect(isId('user', id)).toBe(false);
    for (const other of [
      id.toUpperCase(),
      `${id}0`,
      id.slice(0, -1),
      id.replace('_', '-'),
      `${id}\n`,
      'wallet_',
      '',
      null,
      5,
    ]) {
      expect(isId('wallet', other)).toBe(false);
    }
  });
});

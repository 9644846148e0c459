import { agreed, Endpoints } from '../../../src/modules/chain/infrastructure/endpoints.js';

class Refused extends Error {}

type Node = () => Promise<string>;
const answers =
  (answer: string): Node =>
  () =>
    Promise.resolve(answer);
const fails: Node = () => Promise.reject(new Error('unavailable'));
const refuses: Node = () => Promise.reject(new Refused('the chain refuses'));
const silent: Node = () => new Promise(() => {});

function endpoints(...nodes: Node[]) {
  const failures: number[] = [];
  const asked: number[] = [];
  const counted = nodes.map((node, index) => () => {
    asked.push(index);
    return node();
  });
  const all = new Endpoints<Node>(
    counted,
    (error) => error instanceof Refused,
    (_, position) => failures.push(position),
  );
  return { all, failures, asked };
}
const ask = (node: Node) => node();

describe('a read from several endpoints', () => {
  it('moves on to the next endpoint when a node fails, and starts there the next time', async () => {
    const { all, failures, asked } = endpoints(fails, answers('b'), answers('c'));
    expect(await all.read(ask)).toBe('b');
    expect(await all.read(ask)).toBe('b');
    expect(asked).toEqual([0, 1, 1]);
    expect(failures).toEqual([1]);
  });

  it('does not move on when the chain itself refuses', async () => {
    const { all, asked } = endpoints(refuses, answers('b'));
    await expect(all.read(ask)).rejects.toThrow(Refused);
    expect(asked).toEqual([0]);
  });

  it('fails when every endpoint fails', async () => {
    await expect(endpoints(fails, fails).all.read(ask)).rejects.toThrow('unavailable');
    await expect(endpoints(fails).all.read(ask)).rejects.toThrow('unavailable');
  });
});

describe('a question to every endpoint', () => {
  it('returns the answers of those that answer, and how many are configured', async () => {
    const { of, configured } = await endpoints(answers('a'), fails, answers('c')).all.every(ask);
    expect([[...of].sort(), configured]).toEqual([['a', 'c'], 3]);
  });

  it('a question to every endpoint waits for a slow endpoint up to its own time limit, because its answer may contradict the rest', async () => {
    jest.useFakeTimers();
    try {
      const late: Node = () => new Promise((resolve) => setTimeout(() => resolve('yes'), 9_000));
      const asked = endpoints(answers('no'), answers('no'), late).all.every(ask);
      await jest.advanceTimersByTimeAsync(9_000);
      const { of } = await asked;
      expect([...of].sort()).toEqual(['no', 'no', 'yes']);
    } finally {
      jest.useRealTimers();
    }
  });

  it('fails when no endpoint answers', async () => {
    await expect(endpoints(fails, fails).all.every(ask)).rejects.toThrow('unavailable');
  });
});

describe('a search among endpoints', () => {
  const isFound = (answer: string) => answer === 'found';

  it('asks one endpoint where its answer is enough', async () => {
    const { all, asked } = endpoints(answers('found'), answers('found'));
    expect((await all.search(ask, isFound)).of).toEqual(['found']);
    expect(asked).toEqual([0]);
  });

  it('asks all of them where it is not, or where that endpoint fails', async () => {
    expect((await endpoints(answers('no'), answers('found')).all.search(ask, isFound)).of).toEqual(['no', 'found']);
    expect((await endpoints(fails, answers('no')).all.search(ask, isFound)).of).toEqual(['no']);
    expect((await endpoints(answers('no'), fails).all.search(ask, isFound)).of).toEqual(['no']);
    await expect(endpoints(fails, fails).all.search(ask, isFound)).rejects.toThrow('unavailable');
  });
});

describe('a search after the preferred endpoint failed', () => {
  it('starts with one that answered', async () => {
    const { all, asked } = endpoints(fails, answers('found'));
    for (let i = 0; i < 2; i++) expect((await all.search(ask, (answer) => answer === 'found')).of).toEqual(['found']);
    expect(asked).toEqual([0, 1, 1]);
  });

  it('does not wait long for a silent endpoint once another has answered', async () => {
    expect(await endpoints(answers('a'), silent, answers('b')).all.search(ask, () => false)).toEqual({
      of: ['a', 'b'],
      configured: 3,
    });
  });
});

describe('a hand-over to all endpoints', () => {
  it('a transaction is accepted if any endpoint accepts it, and is sent to every endpoint', async () => {
    const { all, asked } = endpoints(fails, answers('b'), silent);
    expect(await all.toAll(ask)).toBe('b');
    expect(asked).toEqual([0, 1, 2]);
    await expect(endpoints(fails, fails).all.toAll(ask)).rejects.toThrow('unavailable');
  });
});

describe('a negative conclusion', () => {
  const isNo = (answer: string) => answer === 'no';
  it.each([
    [['no'], 1, true],
    [['yes'], 1, false],
    [['no'], 2, false],
    [['no', 'no'], 2, true],
    [['no', 'no'], 3, true],
    [['no', 'no', 'yes'], 3, false],
    [[], 1, false],
  ])('from the answers %j of %d endpoints is supported: %s', (of, configured, expected) => {
    expect(agreed({ of, configured }, isNo)).toBe(expected);
  });
});

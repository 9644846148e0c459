import { FreshCache, type Perishable } from '../../../src/modules/apps/infrastructure/fresh-cache.js';

interface Known extends Perishable {
  readonly name: string;
}

let now: number;
let cache: FreshCache<Known>;
let loads: number;
beforeEach(() => {
  now = 1_000;
  loads = 0;
  cache = new FreshCache<Known>(3, () => now);
});

const answer =
  (name: string, livesForMs: number | null = null) =>
  async (): Promise<Known> => {
    loads++;
    return { name, livesForMs };
  };
const nothing = async (): Promise<null> => {
  loads++;
  return null;
};

describe('an answer kept for half a second', () => {
  it('is given again until then, and asked for anew after', async () => {
    await cache.get('a', answer('old'));
    now += 499;
    expect(cache.get('a', answer('new'))).toMatchObject({ name: 'old' });
    now += 1;
    expect(await cache.get('a', answer('new'))).toMatchObject({ name: 'new' });
  });

  it('counts from when it was asked for, however long the database took', async () => {
    let release!: (value: Known) => void;
    const slow = cache.get('a', () => new Promise<Known>((resolve) => (release = resolve)));
    now += 400;
    release({ name: 'old', livesForMs: null });
    await slow;
    now += 100;
    expect(await cache.get('a', answer('new'))).toMatchObject({ name: 'new' });
  });

  it('ends earlier if the cached object expires', async () => {
    await cache.get('a', answer('short', 50));
    now += 49;
    expect(cache.peek('a')).toMatchObject({ name: 'short' });
    now += 1;
    expect(cache.peek('a')).toBeUndefined();
  });

  it('is asked for once, however many wait for it', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, async () => cache.get('a', answer('one'))));
    expect(loads).toBe(1);
    expect(new Set(all).size).toBe(1);
  });

  it('is not waited for by those who come half a second after the question', async () => {
    let release!: (value: Known) => void;
    const stuck = cache.get('a', () => new Promise<Known>((resolve) => (release = resolve)));
    now += 500;
    expect(await cache.get('a', answer('new'))).toMatchObject({ name: 'new' });
    release({ name: 'old', livesForMs: null });
    await stuck;
    expect(cache.peek('a')).toMatchObject({ name: 'new' });
  });

  it('is discarded on request, also while it is being loaded', async () => {
    let release!: (value: Known) => void;
    const stuck = cache.get('a', () => new Promise<Known>((resolve) => (release = resolve)));
    cache.clear();
    release({ name: 'old', livesForMs: null });
    await stuck;
    expect(cache.peek('a')).toBeUndefined();
  });
});

describe('the answer that there is nothing', () => {
  it('is kept for a tenth of a second', async () => {
    await cache.get('a', nothing);
    now += 99;
    expect(cache.get('a', answer('new'))).toBeNull();
    now += 1;
    expect(await cache.get('a', answer('new'))).toMatchObject({ name: 'new' });
  });

  it('does not push out what is known, however often it is given', async () => {
    await cache.get('known', answer('known'));
    for (let i = 0; i < 100; i++) await cache.get(`guess ${i}`, nothing);
    expect(cache.peek('known')).toMatchObject({ name: 'known' });
  });
});

describe('the cache', () => {
  it('holds no more than it may', async () => {
    for (const key of ['a', 'b', 'c', 'd']) await cache.get(key, answer(key));
    expect(cache.peek('a')).toBeUndefined();
    for (const key of ['b', 'c', 'd']) expect(cache.peek(key)).toMatchObject({ name: key });
  });

  it('passes a failure on to all who wait and remembers nothing of it', async () => {
    const failure = new Error('the database is away');
    const failing = () => cache.get('a', () => Promise.reject(failure));
    const waiting = [failing(), failing()];
    for (const one of waiting) await expect(one).rejects.toBe(failure);
    expect(await cache.get('a', answer('back'))).toMatchObject({ name: 'back' });
  });
});

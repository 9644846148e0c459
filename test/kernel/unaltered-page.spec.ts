import { pageFrom, type PageRequest } from '../../src/kernel/paging.js';
import { unalteredPage } from '../../src/kernel/row-macs.js';
import { SealAltered } from '../../src/kernel/vault.js';

/** Newest first; `-` is altered. */
const listOf = (kinds: string) => [...kinds].map((kind, i) => ({ id: `id${String(90_000 - i)}`, kind }));

async function pageOf(kinds: string, page: PageRequest) {
  let reads = 0;
  const read = async ({ limit, startingAfter }: PageRequest) => {
    reads++;
    const rows = listOf(kinds).filter(({ id }) => startingAfter === undefined || id < startingAfter);
    return pageFrom(rows.slice(0, limit + 1), limit);
  };
  const { items, hasMore } = await unalteredPage(page, read, ({ kind }) => kind !== '-');
  return { kinds: items.map(({ kind }) => kind).join(''), hasMore, reads, last: items.at(-1)?.id };
}

it.each([
  ['abcd', { kinds: 'ab', hasMore: true, reads: 1 }],
  ['a-cd', { kinds: 'a', hasMore: true, reads: 1 }],
  ['----cd', { kinds: 'cd', hasMore: false, reads: 2 }],
  ['--cdef', { kinds: 'cd', hasMore: true, reads: 2 }],
  ['----', { kinds: '', hasMore: false, reads: 2 }],
  ['', { kinds: '', hasMore: false, reads: 1 }],
])('a page of two rows of %s', async (kinds, expected) => {
  expect(await pageOf(kinds, { limit: 2 })).toMatchObject(expected);
});

it('a caller that follows the cursor finds all rows that are not altered', async () => {
  const kinds = 'a--b-----cd---e--';
  let found = '';
  for (let startingAfter: string | undefined, hasMore = true; hasMore;) {
    const page = await pageOf(kinds, { limit: 2, startingAfter });
    found += page.kinds;
    ({ hasMore } = page);
    startingAfter = page.last;
    expect(hasMore && startingAfter === undefined).toBe(false);
  }
  expect(found).toBe('abcde');
});

it('many pages of altered rows fail the call', async () => {
  await expect(pageOf('-'.repeat(2_000), { limit: 2 })).rejects.toBeInstanceOf(SealAltered);
});

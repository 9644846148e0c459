/** Resolves when other calls have had a turn of the event loop. Long work waits for it between portions. */
export const otherCalls = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const PORTION_MS = 10;

/** Maps one item after another, in portions between which other calls have a turn. */
export async function inPortions<T, R>(items: Iterable<T>, map: (item: T) => R): Promise<R[]> {
  const results: R[] = [];
  let since = performance.now();
  for (const item of items) {
    results.push(map(item));
    if (performance.now() - since < PORTION_MS) continue;
    await otherCalls();
    since = performance.now();
  }
  return results;
}

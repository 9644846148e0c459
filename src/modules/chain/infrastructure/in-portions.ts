import { portionsOf } from '../../../kernel/collections.js';

export async function inPortions<T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  for (const portion of portionsOf(items, atOnce)) results.push(...(await Promise.all(portion.map(work))));
  return results;
}

/** Stops before the first item that fails. Throws its error when that is the first item. */
export async function settledBefore<T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  for (const portion of portionsOf(items, atOnce))
    for (const each of await Promise.allSettled(portion.map(work))) {
      if (each.status === 'fulfilled') results.push(each.value);
      else if (results.length > 0) return results;
      else throw each.reason;
    }
  return results;
}

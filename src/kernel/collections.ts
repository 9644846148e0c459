export function grouped<K, V>(values: Iterable<V>, keyOf: (value: V) => K): Map<K, V[]> {
  const groups = new Map<K, V[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group) group.push(value);
    else groups.set(key, [value]);
  }
  return groups;
}

export function totals<K>(numbers: Iterable<readonly [key: K, number: number]>): Map<K, number> {
  const sums = new Map<K, number>();
  for (const [key, number] of numbers) sums.set(key, (sums.get(key) ?? 0) + number);
  return sums;
}

export function remembered<K, V>(compute: (key: K) => V): (key: K) => V {
  const known = new Map<K, V>();
  return (key) => {
    if (!known.has(key)) known.set(key, compute(key));
    return known.get(key)!;
  };
}

export function portionsOf<T>(values: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(values.length / size) }, (_, index) =>
    values.slice(index * size, (index + 1) * size),
  );
}

/** Does the work for one item after another. A failure keeps no later item from it, and is thrown at the end. */
export async function inTurn<T>(
  items: Iterable<T> | AsyncIterable<T>,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const failures: unknown[] = [];
  for await (const item of items) await work(item).catch((error: unknown) => failures.push(error));
  throwAll(failures);
}

export function throwAll(failures: readonly unknown[]): void {
  if (failures.length > 1)
    throw new AggregateError(failures, `${failures.length} items failed: ${String(failures[0])}`);
  if (failures.length === 1) throw failures[0];
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Only differences are sent, so that settings which another operator has saved meanwhile stay. A list is one setting. Null if none
 * differs.
 */
export function differences<T extends object>(after: T, before: T): Partial<T> | null {
  const found: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(after) as [string, unknown][]) {
    const earlier = (before as Fields)[name];
    if (JSON.stringify(value) === JSON.stringify(earlier)) continue;
    found[name] = isGroup(value) && isGroup(earlier) ? differences(value, earlier) : value;
  }
  return Object.keys(found).length > 0 ? (found as Partial<T>) : null;
}

const isGroup = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

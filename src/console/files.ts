export interface Slice {
  readonly limit: number;
  readonly starting_after: string | undefined;
}

/** So many pages of a list are searched for what has no call of its own. */
export const SEARCHED_PAGES = 5;

export async function* pagesOf<Data extends { readonly has_more: boolean }, Row>(
  load: (slice: Slice) => Promise<Data>,
  rowsOf: (data: Data) => readonly Row[],
  keyOf: (row: Row) => string,
  mostPages = Infinity,
): AsyncGenerator<readonly Row[]> {
  let after: string | undefined;
  for (let [hasMore, page] = [true, 0]; hasMore && page < mostPages; page++) {
    const data = await load({ limit: 100, starting_after: after });
    const rows = rowsOf(data);
    yield rows;
    hasMore = data.has_more;
    if (hasMore) after = keyOf(rows.at(-1)!);
  }
}

export function saveFile(name: string, parts: readonly string[], type: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([...parts], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
